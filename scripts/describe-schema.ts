import type { Session } from '../src/db/server.ts'

const HEAD = `-- The schema that the migrations make, as the database tells it. For reading only: nothing runs this
-- file. Written by \`npm run schema\`; a test holds it against the migrations.
`

/** What belongs to an extension or to the migrator is not ours. */
const OURS = `n.nspname = 'public' and not exists (
  select 1 from pg_depend d where d.objid = o.oid and d.deptype = 'e')`
const OUR_TABLES = `${OURS} and o.relname not in ('migrations', 'migrations_pkey')`

interface Table {
  oid: number
  name: string
  unlogged: boolean
  options: string[] | null
}

/**
 * The migrated schema as SQL to read: the same text from every supported version of PostgreSQL. Newer
 * ones list NOT NULL as constraints of their own; here it stands at the column only.
 */
export async function describeSchema({ query }: Session): Promise<string> {
  const read = async <Row>(sql: string, parameters: unknown[] = []) =>
    (await query(sql, parameters)).rows as Row[]
  const lines = async (sql: string, parameters: unknown[] = []) =>
    (await read<{ line: string }>(sql, parameters)).map(({ line }) => unqualified(line))

  const strangers = await lines(`
    select o.relname as line from pg_class o join pg_namespace n on n.oid = o.relnamespace
    where ${OUR_TABLES} and o.relkind not in ('r', 'i')
    union all
    select o.typname from pg_type o join pg_namespace n on n.oid = o.typnamespace
    where ${OURS} and o.typtype not in ('b', 'c', 'd')`)
  if (strangers.length > 0) throw new Error(`not described: ${strangers.join(', ')}`)

  const extensions = await lines(`
    select format('create extension %I;', extname) as line from pg_extension
    where extname <> 'plpgsql' order by extname collate "C"`)
  const domains = await lines(`
    select format('create domain %I as %s%s%s;', o.typname, format_type(o.typbasetype, o.typtypmod),
      case when o.typnotnull then ' not null' else '' end,
      (select string_agg(' ' || pg_get_constraintdef(c.oid, true), '' order by c.conname collate "C")
        from pg_constraint c where c.contypid = o.oid and c.contype = 'c')) as line
    from pg_type o join pg_namespace n on n.oid = o.typnamespace
    where ${OURS} and o.typtype = 'd' order by o.typname collate "C"`)
  const functions = await lines(`
    select pg_get_functiondef(o.oid) as line
    from pg_proc o join pg_namespace n on n.oid = o.pronamespace
    where ${OURS} order by o.proname collate "C", o.oid`)
  const tables = await read<Table>(`
    select o.oid::int, o.relname as name, o.relpersistence = 'u' as unlogged, o.reloptions as options
    from pg_class o join pg_namespace n on n.oid = o.relnamespace
    where ${OUR_TABLES} and o.relkind = 'r' order by o.relname collate "C"`)

  const described: string[] = []
  for (const { oid, name, unlogged, options } of tables) {
    const columns = await lines(
      `select format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod))
        || case when a.attgenerated = 's'
            then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
            else coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid, true), '') end
        || case when a.attnotnull then ' not null' else '' end as line
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped order by a.attnum`,
      [oid],
    )
    const constraints = await lines(
      `select format('constraint %I %s', conname, pg_get_constraintdef(oid, true)) as line
      from pg_constraint where conrelid = $1 and contype in ('p', 'u', 'f', 'c', 'x')
      order by array_position(array['p', 'u', 'f', 'c', 'x'], contype::text), conname collate "C"`,
      [oid],
    )
    const indexes = await lines(
      `select pg_get_indexdef(i.indexrelid, 0, true) || ';' as line
      from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = $1 and not exists (select 1 from pg_constraint where conindid = i.indexrelid
        and contype in ('p', 'u', 'x'))
      order by c.relname collate "C"`,
      [oid],
    )
    const statistics = await lines(
      `select pg_get_statisticsobjdef(oid) || ';' as line from pg_statistic_ext
      where stxrelid = $1 order by stxname collate "C"`,
      [oid],
    )
    const triggers = await lines(
      `select pg_get_triggerdef(oid, true) || ';' as line from pg_trigger
      where tgrelid = $1 and not tgisinternal order by tgname collate "C"`,
      [oid],
    )
    const settings = options ? ` with (${options.join(', ')})` : ''
    const body = [...columns, ...constraints].map((line) => `  ${line}`).join(',\n')
    described.push(
      [
        `create ${unlogged ? 'unlogged ' : ''}table ${name} (\n${body}\n)${settings};`,
        ...indexes,
        ...statistics,
        ...triggers,
      ].join('\n'),
    )
  }
  const parts = [
    extensions.join('\n'),
    domains.join('\n'),
    ...functions.map((text) => `${text.trim()};`),
    ...described,
  ]
  return [HEAD, ...parts.map((part) => `${part}\n`)].join('\n')
}

function unqualified(text: string): string {
  return text.replaceAll('public.', '')
}
