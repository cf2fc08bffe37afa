import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import pLimit from 'p-limit'
import { hold, type Proof } from '../proof.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * One service plays so many. All histories of a service share its clock, and an hour of it passes in seconds: with the
 * names of a thousand histories its own jobs (each claim is checked every hour while the registry does not respond)
 * take all of the machine.
 */
const PER_SERVICE = 100

/** Histories of which the tests play a few, and of which a release plays thousands. */
function longHistories(
  name: string,
  { file, variables }: { file: string; variables: string },
): Proof {
  return {
    name,
    async run({ seed, size }) {
      const count = size({ quick: 20, ci: 300, release: 2_000 })
      const starts = Array.from(
        { length: Math.ceil(count / PER_SERVICE) },
        (_, at) => at * PER_SERVICE,
      )
      await pLimit(availableParallelism()).map(starts, async (played) => {
        const child = spawn('npx', ['vitest', 'run', file], {
          cwd: ROOT,
          stdio: ['ignore', 'inherit', 'inherit'],
          env: {
            ...process.env,
            [`${variables}_RUNS`]: String(Math.min(PER_SERVICE, count - played)),
            [`${variables}_SEED`]: String(seed + played),
          },
        })
        const [code] = await once(child, 'exit')
        hold(code === 0, `a history of ${file} does not hold: see above`)
      })
      return `${count} histories from seed ${seed} on, no disagreement`
    },
  }
}

export const LONG_HISTORIES: readonly Proof[] = [
  longHistories(
    'a registrar that loses, repeats, drops and rejects: nothing twice, nothing forgotten',
    {
      file: 'test/registrars/histories.test.ts',
      variables: 'REGISTRAR',
    },
  ),
  longHistories('money: sales, refunds, disputes, receipts, payouts that fail and come back', {
    file: 'test/checkout/money.test.ts',
    variables: 'MONEY',
  }),
]
