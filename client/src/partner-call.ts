import type { OPERATIONS } from './generated/partner-operations.ts'
import type { CallOptions } from './transport.ts'
import type { Input, Output } from './types.ts'

export type Name = keyof typeof OPERATIONS
export type Options = CallOptions

/** Input without what the method takes by itself. */
export type Rest<N extends Name, K extends string> = Omit<Input<N>, K>

/** One call of an operation, which the client signs and repeats. */
export type Call = <N extends Name>(
  name: N,
  input: Input<N>,
  options?: Options,
) => Promise<Output<N>>
