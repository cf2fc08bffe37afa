import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { readPage } from '../../core/cursor.ts'
import { notFound } from '../../core/errors.ts'
import { createdAt, domainField, iso, paging, timestamp } from '../../core/fields.ts'
import { adminRead, adminWrite, type Tx } from '../../core/operation.ts'
import { ADMINS, READERS } from '../../core/roles.ts'
import type { Schema } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'
import { findRegistrar, nameField } from './registrar.ts'

const MOST_DOMAINS = 100_000
/** A list of 100,000 names. */
const BODY_LIMIT = 32 * 1024 * 1024

const RegistrarDomainView = z.object({
  domain: z.string(),
  registrar: z.string(),
  expires_at: timestamp.nullable(),
  locked: z.boolean().nullable(),
  privacy: z.boolean().nullable(),
  nameservers: z.array(z.string()),
  hosts_zone: z
    .boolean()
    .nullable()
    .describe(
      'Whether its zone is in the DNS of the registrar; null where the registrar does not say it.',
    ),
  statuses: z.array(z.string()).describe('As the registrar writes them.'),
  read_at: timestamp,
})

const SyncView = z.object({
  sync_id: z.string(),
  registrar: z.string(),
  status: z.enum(['running', 'done', 'failed']),
  total: z.int(),
  found: z.int().describe('How many are in the account.'),
  missing: z.int().describe('How many are not in the account.'),
  failed: z.int().describe('How many could not be read.'),
  problem: z
    .string()
    .nullable()
    .describe('What the registrar said last when one could not be read.'),
  created_at: createdAt,
  finished_at: timestamp.nullable(),
})

export type Sync = Selectable<Schema['registrar_syncs']>

export const startSync = adminWrite({
  name: 'start_registrar_sync',
  roles: ADMINS,
  summary: 'Read what a registrar says of domains: expiry, lock and name servers',
  description:
    'The domains are read in the background, at the rate that the registrar allows, and go on after a restart.',
  method: 'POST',
  path: '/registrars/{name}/syncs',
  bodyLimit: BODY_LIMIT,
  input: z.object({
    name: nameField,
    domains: z.array(domainField).min(1).max(MOST_DOMAINS),
  }),
  output: SyncView,
  status: 202,
  errors: ['validation_error', 'not_found'],
  audited: ({ name, domains }) => ({ name, count: domains.length }),
  async handler({ tx, now }, { name, domains }) {
    const { id } = await findRegistrar(tx, name)
    return viewSync(await queueSync(tx, now, id, [...new Set(domains)]), name)
  },
})

/** Has the job read these domains at the registrar. */
export async function queueSync(
  tx: Tx,
  now: Date,
  registrarId: string,
  names: string[],
): Promise<Sync> {
  const sync: Sync = {
    sync_id: newId('syn', now),
    registrar_id: registrarId,
    status: 'running',
    total: names.length,
    found: 0,
    missing: 0,
    failed: 0,
    problem: null,
    created_at: now,
    finished_at: null,
  }
  await tx.insertInto('registrar_syncs').values(sync).execute()
  await sql`insert into registrar_sync_domains (sync_id, domain)
    select ${sync.sync_id}, domain from unnest(${names}::text[]) as n (domain)`.execute(tx)
  return sync
}

export const showSync = adminRead({
  name: 'show_registrar_sync',
  roles: READERS,
  summary: 'How far a sync is',
  method: 'GET',
  path: '/registrar-syncs/{sync_id}',
  input: z.object({ sync_id: z.string() }),
  output: SyncView.extend({
    domains: z.array(RegistrarDomainView).describe('The first hundred that were found.'),
  }),
  status: 200,
  errors: ['not_found'],
  async handler({ db }, { sync_id }) {
    const found = await db
      .selectFrom('registrar_syncs as s')
      .innerJoin('registrars as r', 'r.id', 's.registrar_id')
      .selectAll('s')
      .select('r.name')
      .where('s.sync_id', '=', sync_id)
      .executeTakeFirst()
    if (!found) throw notFound('sync')
    const rows = await registrarDomains(db)
      .innerJoin('registrar_sync_domains as n', 'n.domain', 'd.domain')
      .where('n.sync_id', '=', sync_id)
      .where('n.outcome', '=', 'found')
      .orderBy('d.domain')
      .limit(100)
      .execute()
    return { ...viewSync(found, found.name), domains: rows.map(viewDomain) }
  },
})

export const listRegistrarDomains = adminRead({
  name: 'list_registrar_domains',
  roles: READERS,
  summary: 'List the domains in our accounts, as the registrars said last',
  method: 'GET',
  path: '/registrar-domains',
  input: z.object({
    registrar: nameField.optional(),
    domain: domainField.optional(),
    ...paging,
  }),
  output: z.object({
    domains: z.array(RegistrarDomainView),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { limit, cursor, ...filters }) {
    const bound = { list: 'registrar_domains', ...filters }
    let query = registrarDomains(db)
    if (filters.registrar) query = query.where('r.name', '=', filters.registrar)
    if (filters.domain) query = query.where('d.domain', '=', filters.domain)
    const { rows, next_cursor } = await readPage(query, 'domain', { cursor, limit, bound })
    return { domains: rows.map(viewDomain), next_cursor }
  },
})

function registrarDomains(db: Pick<Tx, 'selectFrom'>) {
  return db
    .selectFrom('registrar_domains as d')
    .innerJoin('registrars as r', 'r.id', 'd.registrar_id')
    .selectAll('d')
    .select('r.name as registrar')
}

function viewDomain(
  row: Schema['registrar_domains'] & { registrar: string },
): z.output<typeof RegistrarDomainView> {
  const { domain, registrar, locked, privacy, nameservers, hosts_zone, statuses } = row
  return {
    domain,
    registrar,
    expires_at: iso(row.expires_at),
    locked,
    privacy,
    nameservers,
    hosts_zone,
    statuses,
    read_at: iso(row.read_at),
  }
}

function viewSync(sync: Sync, registrar: string): z.output<typeof SyncView> {
  const { sync_id, status, total, found, missing, failed, problem } = sync
  return {
    sync_id,
    registrar,
    status,
    total,
    found,
    missing,
    failed,
    problem,
    created_at: iso(sync.created_at),
    finished_at: iso(sync.finished_at),
  }
}
