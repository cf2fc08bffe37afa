import { MAX_ISSUES } from '../../core/check-input.ts'
import type { PublicContract } from '../../core/contract.ts'
import { type FieldIssue, invalid } from '../../core/errors.ts'
import { ellipsize } from '../../lib/truncate.ts'
import { parseInput, withoutNulls } from '../input.ts'
import { type JsonSchema, schemaOf } from '../openapi/schema.ts'

const MAX_NAME = 100

/**
 * Checks the arguments of an MCP tool, or the `params` of a batch entry. Unlike a field of a single call, an
 * unknown one is an error: ignored, a model's typing error would get it the wrong response (contract, section 1).
 */
export function parseArguments(operation: PublicContract, given: object): Record<string, unknown> {
  return parseInput(operation, withFieldNames(operation, withoutNulls(given, 1)))
}

/** The JSON Schema of an operation's arguments, which holds nothing beside them. */
export function argumentsSchema({ input }: PublicContract): JsonSchema {
  return { ...schemaOf(input, 'input'), additionalProperties: false }
}

/** The arguments under the names of the fields that they are for. */
function withFieldNames(operation: PublicContract, given: object): object {
  const { name, input, aliases } = operation
  const fields = Object.keys(input.shape)
  const fieldOf = new Map(fields.map((field) => [field, field]))
  for (const field of fields) {
    for (const alias of aliases?.[field] ?? []) fieldOf.set(alias, field)
  }
  const read = new Map<string, { argument: string; value: unknown }>()
  const issues: FieldIssue[] = []
  for (const [argument, value] of Object.entries(given)) {
    const field = fieldOf.get(argument)
    const other = field === undefined ? undefined : read.get(field)
    if (field === undefined) {
      const issue = `is not an argument of ${name}: it takes ${fields.join(', ')}`
      issues.push({ field: ellipsize(argument, MAX_NAME), issue })
    } else if (other && other.value !== value) {
      // Lists and objects always differ: they may be nested too deep to be compared.
      const issue = `differs from ${other.argument}, which means the same: send ${field} only`
      issues.push({ field: argument, issue })
    } else read.set(field, { argument, value })
  }
  const [first, ...rest] = issues.slice(0, MAX_ISSUES)
  if (first) throw invalid(first, ...rest)
  return Object.fromEntries([...read].map(([field, { value }]) => [field, value]))
}
