/** node --import tsx survive/simulation/run-seeds.ts FROM COUNT: ends with 3 when a history disagrees. */
import { prepareTemplate } from '../../test/support/database.ts'
import { Disagreement, openTheatre, play } from './history.ts'

const [from = 1, count = 1] = process.argv.slice(2).map(Number)
await prepareTemplate()
const theatre = await openTheatre()
try {
  for (let seed = from; seed < from + count; seed++) await play(theatre, seed)
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(error instanceof Disagreement ? 3 : 1)
}
await theatre.stop()
process.stdout.write(`${count} histories agree\n`)
