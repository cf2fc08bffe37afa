import { type ChildProcess, fork } from 'node:child_process'
import { answerOf, type Contender } from './contenders.ts'
import { databaseCpu, prepareSales } from './databases.ts'
import type { LoadCommand, LoadResult } from './load.ts'
import type { Batch } from './workload.ts'

/** What one contender did in one round. Times are in milliseconds, CPU in microseconds a unit. */
export interface Sample {
  perSecond: number
  medianMs: number
  p99Ms: number
  serverCpu: number
  databaseCpu: number | null
}

/** One kind of request to one contender, measured once a round. */
export interface Series {
  /** What it is compared with others as: `first page`. */
  workload: string
  /** `bare` is what the others of its workload and size are held against. */
  who: string
  /** Rows in the table that it reads. */
  size: number
  contender: Contender
  batch(round: string): Batch
  expect: number
  /** Responses that one request holds, as a batch does. */
  units?: number
  /** Requests under way at once, where it is not as many as of the others. */
  inFlight?: number
}

export interface Measured extends Series {
  samples: Sample[]
}

/** The process that sends. */
export class Load {
  readonly #process: ChildProcess = fork(new URL('load.ts', import.meta.url))

  async run({ contender, batch, expect }: Series, round: string, inFlight: number) {
    const requests = batch(round)
    await prepareSales(contender.database, requests)
    await this.#tell({ prepare: requests })
    // Else one contender would pay for what the one before it left to be written.
    await contender.database.client.query('checkpoint')
    const before = await cpuOf(contender)
    const result = (await this.#tell({ go: { port: contender.port, inFlight } })) as LoadResult
    const after = await cpuOf(contender)
    if (result.statuses[expect] !== requests.count) {
      const statuses = JSON.stringify(result.statuses)
      throw new Error(`${contender.name} answered ${statuses}: ${result.sample}`)
    }
    return {
      ...result,
      count: requests.count,
      cpu: after.map((ms, index) => since(ms, before[index])),
    }
  }

  stop(): void {
    this.#process.kill()
  }

  async #tell(command: LoadCommand): Promise<unknown> {
    const response = answerOf(this.#process)
    this.#process.send(command)
    return await response
  }
}

/**
 * Measures every series once a round, in turn, so that what else the machine does meets all of them. The
 * first round warms up and is not counted.
 */
export async function measureInTurn(
  load: Load,
  series: Series[],
  { rounds, inFlight }: { rounds: number; inFlight: number },
): Promise<Measured[]> {
  const measured = series.map((one) => ({ ...one, samples: [] as Sample[] }))
  const fields = new Map<string, string>()
  for (let round = 0; round <= rounds; round += 1) {
    const turn = round % measured.length
    for (const one of [...measured.slice(turn), ...measured.slice(0, turn)]) {
      const { sample, seconds, medianMs, p99Ms, count, cpu } = await load.run(
        one,
        String(round),
        one.inFlight ?? inFlight,
      )
      const units = count * (one.units ?? 1)
      const each = (ms: number | null) => (ms === null ? null : (ms * 1000) / units)
      const [server, database] = cpu
      if (round === 0) {
        rejectDifferent(fields, one, sample)
        continue
      }
      one.samples.push({
        perSecond: units / seconds,
        medianMs,
        p99Ms,
        serverCpu: each(server ?? 0) ?? 0,
        databaseCpu: each(database ?? null),
      })
    }
  }
  return measured
}

/** All contenders respond with the same fields, or they do not do the same. */
function rejectDifferent(fields: Map<string, string>, { workload }: Series, answer: string): void {
  const given = Object.keys(JSON.parse(answer)).join()
  const first = fields.get(workload) ?? given
  fields.set(workload, first)
  if (given !== first) throw new Error(`${workload}: the answers differ: ${first} and ${given}`)
}

async function cpuOf(contender: Contender): Promise<(number | null)[]> {
  return [await contender.cpu(), await databaseCpu(contender.database)]
}

function since(after: number | null, before: number | null | undefined): number | null {
  return after === null || before === null || before === undefined ? null : after - before
}
