import { type Bench, openConnection } from './bench.ts'

/** Nothing is behind it: it performs everything, and has nothing to read. */
export async function simulatedBench(): Promise<Bench> {
  const connection = openConnection('simulated', { tlds: ['test'] })
  return {
    connection,
    domains: ['one.test', 'two.test', 'three.test'],
    foreign: 'foreign.test',
    performedOn: null,
    lose: null,
    reject: null,
    reachable: null,
    say: null,
    fee: null,
    makePremium: null,
    zone: null,
    failing: {},
    stop: () => connection.close(),
  }
}
