import { z } from 'zod'
import type { Field, OperationContract } from '../src/cli/contract.ts'
import type { AdminOperation } from '../src/core/operation.ts'

type JsonSchema = z.core.JSONSchema.JSONSchema

/** What the command line needs of the admin operations' contracts, by the operations' names. */
export function describeAdminOperations(
  operations: readonly AdminOperation[],
): Record<string, OperationContract> {
  return Object.fromEntries(operations.map((operation) => [operation.name, describe(operation)]))
}

function describe({ summary, method, path, input, output }: AdminOperation): OperationContract {
  const { properties = {}, required = [] } = schemaOf(input, 'input')
  const outputs = Object.entries(schemaOf(output, 'output').properties ?? {})
  const [rows] = outputs.find(([, schema]) => typeOf(schema) === 'array') ?? []
  const isList = outputs.some(([name]) => name === 'next_cursor')
  return {
    summary,
    method,
    path,
    ...(rows && { rows }),
    ...(isList && { paged: true }),
    fields: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [
        name,
        describeField(schema as JsonSchema, required.includes(name)),
      ]),
    ),
  }
}

function describeField(schema: JsonSchema, isRequired: boolean): Field {
  const branches = schema.anyOf ?? [schema]
  const isNullable = branches.concat(schema).some(({ type }) => [type].flat().includes('null'))
  const value = branches.find(({ type }) => type !== 'null') ?? schema
  const items = (value.items ?? {}) as JsonSchema
  const choices = value.enum ?? items.enum
  return {
    type: typeOf(value),
    ...(isRequired && { required: true }),
    ...(isNullable && { nullable: true }),
    ...(choices && { choices: choices.map(String) }),
    ...(isScalar(schema.default) && { default: schema.default }),
    ...(value.maximum !== undefined && { maximum: value.maximum }),
    ...(schema.description && { description: schema.description }),
  }
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function typeOf(schema: unknown): string {
  const { type } = schema as JsonSchema
  return [type].flat().find((one) => one !== 'null') ?? 'string'
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' })
}
