import type { OpenApiDocument } from '../../src/http/openapi/document.ts'
import { inlined, type JsonSchema } from '../../src/http/openapi/schema.ts'

/**
 * What clients may rely on, as sentences of one line: which fields an operation takes and which it
 * demands, and what its responses hold. A contract that only grows keeps every sentence but may not add
 * one that demands. Whether a schema has a name of its own makes no difference.
 */
export function factsOf(document: OpenApiDocument): string[] {
  const facts: string[] = []
  for (const [path, methods] of Object.entries(inlined(document).paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`
      facts.push(`${name} is called ${operation.operationId}`)
      for (const { name: field, in: place, required, schema } of operation.parameters ?? []) {
        facts.push(...fieldFacts(`${name} takes ${place}.${field}`, schema))
        if (required) facts.push(`${name} demands ${place}.${field}`)
      }
      for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
        facts.push(...fieldFacts(`${name} takes body`, schema))
        facts.push(...demands(`${name} demands body`, schema))
      }
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        if (Number(status) >= 400) continue
        for (const [type, { schema }] of Object.entries(content)) {
          facts.push(...fieldFacts(`${name} answers ${status} ${type}`, schema))
          facts.push(...demands(`${name} always answers ${status} ${type}`, schema))
        }
      }
    }
  }
  return [...new Set(facts)].toSorted()
}

function fieldFacts(name: string, schema: JsonSchema): string[] {
  const branches = schema.anyOf ?? [schema]
  const types = branches.flatMap(({ type, $ref }) => type ?? $ref ?? 'anything')
  return [
    `${name}: ${types.toSorted().join(' or ')}`,
    ...branches.flatMap((branch) => [
      ...(branch.enum ?? (branch.const === undefined ? [] : [branch.const])).map(
        (value) => `${name} may be ${JSON.stringify(value)}`,
      ),
      ...Object.entries(branch.properties ?? {}).flatMap(([field, part]) =>
        fieldFacts(`${name}.${field}`, part),
      ),
      ...(branch.items ? fieldFacts(`${name}[]`, branch.items) : []),
    ]),
  ]
}

function demands(name: string, schema: JsonSchema): string[] {
  return (schema.anyOf ?? [schema]).flatMap((branch) => [
    ...(branch.required ?? []).map((field) => `${name}.${field}`),
    ...Object.entries(branch.properties ?? {}).flatMap(([field, part]) =>
      demands(`${name}.${field}`, part),
    ),
    ...(branch.items ? demands(`${name}[]`, branch.items) : []),
  ])
}

/** What the newer contract breaks of the older one. */
export function breaches(older: readonly string[], newer: readonly string[]): string[] {
  const [had, has] = [new Set(older), new Set(newer)]
  const demanded = (fact: string) => / demands /.test(fact)
  return [
    ...older
      .filter((fact) => !demanded(fact) && !has.has(fact))
      .map((fact) => `no longer: ${fact}`),
    ...newer.filter((fact) => demanded(fact) && isNew(fact, had)).map((fact) => `now: ${fact}`),
  ]
}

/** Whether a demand comes on top of an operation that did without: a new operation may demand what it likes. */
function isNew(fact: string, had: Set<string>): boolean {
  const operation = fact.split(' ', 2).join(' ')
  return !had.has(fact) && [...had].some((known) => known.startsWith(`${operation} is called `))
}
