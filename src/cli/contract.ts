import operations from './admin-operations.json' with { type: 'json' }

/** A field of an operation's input. */
export interface Field {
  /** As in JSON Schema. */
  type: string
  required?: boolean
  nullable?: boolean
  /** Of an array: what its items may be. */
  choices?: string[]
  default?: string | number | boolean
  maximum?: number
  description?: string
}

/** What the command line knows of an admin operation. */
export interface OperationContract {
  summary: string
  method: string
  path: string
  /** The array of the response, where there is one. */
  rows?: string
  /** Whether a cursor leads from one page of the response to the next. */
  paged?: boolean
  fields: Record<string, Field>
}

const OPERATIONS: Record<string, OperationContract> = operations

/** The contract of an admin operation, from the file that `npm run -s admin-operations` writes. */
export function contractOf(operation: string): OperationContract {
  const contract = OPERATIONS[operation]
  if (!contract) throw new Error(`There is no admin operation ${operation}.`)
  return contract
}

/** The names of the path's parameters, in their order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}
