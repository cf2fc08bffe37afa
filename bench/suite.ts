import type { Field } from './databases.ts'
import type { Load } from './measure.ts'

export interface SuiteOptions {
  rounds: number
  inFlight: number
  /** Of a contender in a round; kinds that cost more send fewer. */
  requests: number
  /** How many listings, from few to many. */
  sizes: number[]
  /** Pipelined connections of the bare servers, for reads and for orders. */
  connections: number
  saleConnections: number
}

/** Measures one part of the service, prints and keeps its lines. */
export type Suite = (bench: {
  field: Field
  load: Load
  options: SuiteOptions
  /** Other checkouts of the service, measured alongside. */
  against: string[]
}) => Promise<void>
