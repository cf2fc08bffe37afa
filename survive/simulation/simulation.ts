import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hold, type Proof } from '../proof.ts'
import { BUGS, type Bug } from './bugs.ts'
import { openTheatre, play } from './history.ts'
import { LONG_HISTORIES } from './long-histories.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const THEATRES = 2
/** What the service is made of, as far as the simulation runs it. */
const COPIED = ['src', 'test/support', 'survive', 'package.json', 'tsconfig.json']
const LINKED = [
  'node_modules',
  'migrations',
  'seed',
  'registries',
  'lexicon',
  'assets',
  'docs',
  'README.md',
]
/** A planted bug that so many histories do not find is not found; most are by the first hundred. */
const HISTORIES_A_BUG = 1_000

const histories: Proof = {
  name: 'seeded histories, against a plain model of the rules',
  async run({ seed, size, say }) {
    const count = size({ quick: 100, ci: 2_000, release: 10_000 })
    let next = 0
    let steps = 0
    const theatres = await Promise.all(Array.from({ length: THEATRES }, openTheatre))
    try {
      await Promise.all(
        theatres.map(async (theatre) => {
          for (let index = next++; index < count; index = next++) {
            const played = await play(theatre, (seed + index) >>> 0)
            steps += played
            if (index % 500 === 499) say(`${index + 1} histories`)
          }
        }),
      )
    } finally {
      await Promise.all(theatres.map((theatre) => theatre.stop()))
    }
    return `${count} histories from seed ${seed} on, ${steps} steps, no disagreement`
  },
}

const plantedBugs: Proof = {
  name: 'planted bugs, each found by the simulation',
  async run({ seed, size, random, say }) {
    const count = Math.min(BUGS.length, size({ quick: 2, ci: BUGS.length, release: BUGS.length }))
    const chosen = BUGS.toSorted(() => random.next() - 0.5).slice(0, count)
    const clean = await withCopy(undefined, (folder) => runSeeds(folder, seed, 5))
    hold(clean.code === 0, `without a bug the simulation ends with ${clean.code}: ${clean.output}`)
    const missed: string[] = []
    for (const bug of chosen) {
      const { code, output } = await withCopy(bug, (folder) =>
        runSeeds(folder, seed, HISTORIES_A_BUG),
      )
      say(`${bug.name}: ${output.split('\n')[0]?.slice(0, 110)}`)
      if (code !== 3) missed.push(`${bug.name} (ended with ${code})`)
    }
    hold(missed.length === 0, `nobody found that ${missed.join(', nor that ')}`)
    return `${count} bugs planted, ${count} found`
  },
}

export const SIMULATION: readonly Proof[] = [histories, plantedBugs, ...LONG_HISTORIES]

/** A copy of the service, with the bug in it. */
async function withCopy<T>(bug: Bug | undefined, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'marketplace-bug-'))
  try {
    for (const path of COPIED) await cp(join(ROOT, path), join(folder, path), { recursive: true })
    for (const path of LINKED) await symlink(join(ROOT, path), join(folder, path))
    if (bug) {
      const file = join(folder, bug.file)
      const text = await readFile(file, 'utf8')
      hold(text.split(bug.find).length === 2, `${bug.file} has not once what "${bug.name}" changes`)
      await writeFile(
        file,
        text.replace(bug.find, () => bug.replace),
      )
    }
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function runSeeds(
  folder: string,
  seed: number,
  count: number,
): Promise<{ code: number; output: string }> {
  const args = ['--import', 'tsx', 'survive/simulation/run-seeds.ts', String(seed), String(count)]
  // On the embedded database: a copy that breaks must not leave anything on a server.
  const env = { ...process.env, TEST_DATABASE_URL: '' }
  return new Promise((resolve) => {
    execFile('node', args, { cwd: folder, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : 1) : 0
      resolve({ code, output: stdout.trim() || stderr.trim() })
    })
  })
}
