/** A command: the operation that it calls, and where its words differ from the contract's. */
export interface CommandSpec {
  operation: string
  /** What the command does; absent: the operation's own summary. */
  summary?: string
  /** Fields with a value of their own, which are not asked for. */
  fixed?: Record<string, unknown>
  /** Fields of the body that are arguments, after those of the path. */
  arguments?: readonly string[]
  /** Parameters of the path that are options. */
  options?: readonly string[]
  /** Another word for a field. */
  names?: Record<string, string>
  /** What an option says of itself where the contract says nothing. */
  help?: Record<string, string>
  /** What an option is when it is absent, other than the contract's default. */
  defaults?: Record<string, string>
  /** Options without a value that set fields, or that call another operation. */
  flags?: Record<string, { summary: string; sets?: Record<string, unknown>; operation?: string }>
  /** Fields whose option names a file with their value as JSON. */
  jsonFiles?: readonly string[]
  /** A field that is read from standard input, unless its option is there. */
  secret?: string
  /** The columns of a list's table. */
  columns?: readonly string[]
  /** How many rows a list prints unless asked for more or fewer; absent: 100. */
  limit?: number
}
