import { parseArgs } from 'node:util'
import { prepareTemplate } from '../test/support/database.ts'
import { cleanUp } from '../test/support/process.ts'
import { closeReceivers } from '../test/support/receiver.ts'
import { ATTACKS } from './attacks/attacks.ts'
import { CRASHES } from './crashes/crashes.ts'
import { FAULTS } from './faults/faults.ts'
import { PROFILES, type Profile, type Proof, randomOf, Skipped, type Trial } from './proof.ts'
import { SIMULATION } from './simulation/simulation.ts'

const PARTS: Record<string, readonly Proof[]> = {
  crashes: CRASHES,
  faults: FAULTS,
  attacks: ATTACKS,
  simulation: SIMULATION,
}
const USAGE = `npm run survive -- [options]

Tries what the service promises, and prints what was done in figures. docs/SURVIVAL.md explains it.
TEST_DATABASE_URL names a PostgreSQL server; without one what needs it is left out.

  --only <part>      ${Object.keys(PARTS).join(', ')}; may be given several times
  --proof <text>     only proofs whose name contains it
  --profile <name>   ${PROFILES.join(', ')}; default ci
  --seed <n>         repeats a run`

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: Object.keys(PARTS) },
    proof: { type: 'string', default: '' },
    profile: { type: 'string', default: 'ci' },
    seed: { type: 'string' },
    help: { type: 'boolean' },
  },
})

interface Line {
  part: string
  name: string
  result: 'held' | 'FAILED' | 'skipped'
  seconds: number
  figures: string
}

if (values.help || !isProfile(values.profile) || values.only.some((part) => !PARTS[part])) {
  process.stdout.write(`${USAGE}\n`)
  process.exit(values.help ? 0 : 2)
}
const profile = values.profile
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
process.stdout.write(`profile ${profile}, seed ${seed}\n`)
await prepareTemplate()

const lines: Line[] = []
for (const part of values.only) {
  for (const proof of PARTS[part] ?? []) {
    if (!proof.name.includes(values.proof)) continue
    lines.push(await attempt(part, proof))
  }
}
const failed = lines.filter(({ result }) => result === 'FAILED')
process.stdout.write(`\nprofile ${profile}, seed ${seed}\n\n${table(lines)}\n`)
process.exit(failed.length > 0 || lines.length === 0 ? 1 : 0)

async function attempt(part: string, proof: Proof): Promise<Line> {
  const startedAt = performance.now()
  process.stdout.write(`\n== ${part}: ${proof.name}\n`)
  const trial: Trial = {
    seed,
    random: randomOf(seed),
    postgres: process.env.TEST_DATABASE_URL,
    size: (figures) => figures[profile],
    say: (line) => void process.stdout.write(`   ${line}\n`),
  }
  let result: Line['result'] = 'held'
  let figures: string
  try {
    figures = await proof.run(trial)
  } catch (error) {
    result = error instanceof Skipped ? 'skipped' : 'FAILED'
    figures = error instanceof Error ? error.message : String(error)
    if (result === 'FAILED')
      process.stdout.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  } finally {
    closeReceivers()
    await cleanUp()
  }
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  process.stdout.write(`== ${result} after ${seconds} s: ${figures}\n`)
  return { part, name: proof.name, result, seconds, figures: figures.split('\n')[0] ?? '' }
}

function isProfile(name: string): name is Profile {
  return (PROFILES as readonly string[]).includes(name)
}

function table(all: Line[]): string {
  const rows = all.map(({ part, name, result, seconds, figures }) =>
    [part, name, result, `${seconds} s`, figures].join(' | '),
  )
  return ['part | what | result | time | figures', '---|---|---|---|---', ...rows].join('\n')
}
