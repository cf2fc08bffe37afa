import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Measured, Sample } from './measure.ts'
import { median } from './workload.ts'

const RESULTS = fileURLToPath(new URL('results/', import.meta.url))

/** One line of the table. What was not measured is null. */
export interface Line {
  workload: string
  who: string
  rows: number
  perSecond: number
  medianMs: number | null
  p99Ms: number | null
  /** Microseconds of CPU for one request: the service's, and the database's. */
  serverUs: number | null
  databaseUs: number | null
  /** Of the bare form's throughput in the same rounds. */
  ofBare: number | null
  /** What the bare form uses of CPU, database included, of what this one uses. */
  ofBareByCpu: number | null
  /** CPU, database included, of what the same costs over the fewest rows. */
  growth: number | null
}

const COLUMNS: [title: string, show: (line: Line) => string][] = [
  ['', ({ workload, who }) => `${workload}, ${who}`],
  ['rows', ({ rows }) => rows.toLocaleString('en')],
  ['a second', ({ perSecond }) => perSecond.toFixed(0)],
  ['p50 ms', ({ medianMs }) => shown(medianMs, 1)],
  ['p99 ms', ({ p99Ms }) => shown(p99Ms, 1)],
  ['service us', ({ serverUs }) => shown(serverUs, 0)],
  ['database us', ({ databaseUs }) => shown(databaseUs, 0)],
  ['of bare', ({ ofBare }) => shown(ofBare, 2)],
  ['by CPU', ({ ofBareByCpu }) => shown(ofBareByCpu, 2)],
  ['growth', ({ growth }) => shown(growth, 2)],
]

export function linesOf(measured: Measured[]): Line[] {
  return measured.map((one) => {
    const alike = measured.filter(({ workload }) => workload === one.workload)
    const bare = alike.find(({ who, size }) => who === 'bare' && size === one.size)
    const fewest = alike
      .filter(({ who }) => who === one.who)
      .reduce((least, next) => (next.size < least.size ? next : least))
    const of = (value: (sample: Sample) => number | null) => {
      const values = one.samples.map(value)
      return values.some((each) => each === null) ? null : median(values as number[])
    }
    return {
      workload: one.workload,
      who: one.who,
      rows: one.size,
      perSecond: of(({ perSecond }) => perSecond) ?? 0,
      medianMs: of(({ medianMs }) => medianMs),
      p99Ms: of(({ p99Ms }) => p99Ms),
      serverUs: of(({ serverCpu }) => serverCpu),
      databaseUs: of(({ databaseCpu }) => databaseCpu),
      ofBare: bare ? medianRatio(one, bare, ({ perSecond }) => perSecond) : null,
      ofBareByCpu: bare ? medianRatio(bare, one, cpuOf) : null,
      growth: fewest === one ? null : medianRatio(one, fewest, cpuOf),
    }
  })
}

function cpuOf({ serverCpu, databaseCpu }: Sample): number | null {
  return databaseCpu === null ? null : serverCpu + databaseCpu
}

/** Round by round, since a round met the same machine. */
function medianRatio(
  one: Measured,
  other: Measured,
  value: (sample: Sample) => number | null,
): number | null {
  const ratios = one.samples.map((sample, round) => {
    const [a, b] = [value(sample), value(other.samples[round] as Sample)]
    return a === null || b === null ? null : a / b
  })
  return ratios.some((ratio) => ratio === null) ? null : median(ratios as number[])
}

/**
 * Prints the lines of a workload, and what else there is to say of it, and keeps both in `bench/results/` until it is
 * measured again.
 */
export function report(name: string, title: string, lines: Line[], notes: string[] = []): void {
  const cells = [
    COLUMNS.map(([head]) => head),
    ...lines.map((line) => COLUMNS.map(([, show]) => show(line))),
  ]
  const widths = COLUMNS.map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  )
  console.log(`\n${title}`)
  for (const row of cells) {
    console.log(row.map((cell, column) => padded(cell, column, widths[column] ?? 0)).join('  '))
  }
  for (const note of notes) console.log(note)
  mkdirSync(RESULTS, { recursive: true })
  const kept = { title, lines, notes }
  writeFileSync(join(RESULTS, `${name}.json`), `${JSON.stringify(kept, null, 2)}\n`)
  writeFileSync(join(RESULTS, 'README.md'), summary())
}

function padded(cell: string, column: number, width: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width)
}

/** All that was measured last, as one page. */
function summary(): string {
  const kept = readdirSync(RESULTS)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map(
      (file) =>
        JSON.parse(readFileSync(join(RESULTS, file), 'utf8')) as {
          title: string
          lines: Line[]
          notes?: string[]
        },
    )
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`
  const tables = kept.map(({ title, lines, notes = [] }) =>
    [
      `## ${title}`,
      '',
      row(COLUMNS.map(([head]) => head)),
      row(COLUMNS.map((_, column) => (column === 0 ? '---' : '--:'))),
      ...lines.map((line) => row(COLUMNS.map(([, show]) => show(line)))),
      ...(notes.length > 0 ? ['', ...notes.map((note) => `- ${note}`)] : []),
    ].join('\n'),
  )
  return `${[
    '# What the bench measured last',
    `Written by \`npm run bench\`, on ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'an unknown processor'}, which also ran PostgreSQL and the load.`,
    'Medians of the rounds. `service us` and `database us` are microseconds of CPU for one request; `of bare` is\nthe throughput of the bare form of the same rounds, `by CPU` the CPU that the bare form uses of ours, and\n`growth` the CPU of what the same costs over the fewest rows.',
    ...tables,
  ].join('\n\n')}\n`
}

function shown(value: number | null, digits: number): string {
  return value === null ? '' : value.toFixed(digits)
}
