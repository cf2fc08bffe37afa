import { writeFileSync } from 'node:fs'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import type { OpenApiDocument } from '../../src/http/openapi/document.ts'
import { partnerDocument } from '../../src/http/openapi/partner.ts'
import { publicDocument } from '../../src/http/openapi/public.ts'
import { inlined } from '../../src/http/openapi/schema.ts'
import { PUBLIC_OPERATIONS } from '../../src/http/public/operations.ts'

const HEAD = '// Made by `npm run client-types` from the OpenAPI documents of the service.\n\n'

/** The generated files of the client, by name: types of both documents, and where each operation is. */
export async function generate(): Promise<Record<string, string>> {
  const documents = {
    partner: partnerDocument('http://localhost:3000'),
    public: publicDocument(PUBLIC_OPERATIONS, 'http://localhost:3000'),
  }
  const files: Record<string, string> = {}
  for (const [name, document] of Object.entries(documents)) {
    const types = await openapiTS(lean(document) as OpenAPI3, { alphabetize: true })
    files[`${name}.ts`] = HEAD + astToString(types)
    files[`${name}-operations.ts`] = HEAD + operationsOf(document)
  }
  const codes = Object.values(documents).flatMap(codesOf)
  const union = [...new Set(codes)].toSorted().map((code) => `  | '${code}'`)
  files['error-codes.ts'] = `${HEAD}export type KnownErrorCode =\n${union.join('\n')}\n`
  const types = eventTypesOf(documents.partner).map((type) => `  '${type}',`)
  files['event-types.ts'] =
    `${HEAD}/** Everything that the history tells of. */\nexport const EVENT_TYPES: readonly string[] = [\n${types.join('\n')}\n]\n`
  return files
}

function eventTypesOf(document: OpenApiDocument): string[] {
  const answer =
    inlined(document).paths['/api/partner/v1/events']?.['get']?.responses['200']?.content
  const event = answer?.['application/json']?.schema.properties?.['events']?.items
  return (event?.oneOf ?? []).flatMap(({ properties }) => {
    const type = properties?.['type']
    return (type?.enum ?? [type?.const]) as string[]
  })
}

/** The codes that any operation may answer with, which the documents show as examples. */
function codesOf({ paths }: OpenApiDocument): string[] {
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.entries(responses))
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, { content }]) => Object.keys(content?.['application/json']?.examples ?? {}))
}

/** Without what no type needs: examples, header fields, and refusals, which all have one shape. */
function lean(document: OpenApiDocument): unknown {
  return JSON.parse(JSON.stringify(document), (key, value) => {
    if (['example', 'examples', 'headers', 'security'].includes(key)) return undefined
    if (key !== 'responses') return value
    return Object.fromEntries(Object.entries(value).filter(([status]) => Number(status) < 400))
  })
}

function operationsOf({ paths }: OpenApiDocument): string {
  const lines = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId }]) =>
        `  ${operationId}: { method: '${method.toUpperCase()}', path: '${path}' },`,
    ),
  )
  return `/** Where each operation is, by its name. */\nexport const OPERATIONS = {\n${lines.toSorted().join('\n')}\n} as const\n`
}

export const GENERATED = new URL('../src/generated/', import.meta.url)

if (process.argv[1] === import.meta.filename) {
  for (const [name, text] of Object.entries(await generate())) {
    writeFileSync(new URL(name, GENERATED), text)
  }
}
