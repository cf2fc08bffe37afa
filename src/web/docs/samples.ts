import { canonicalQuery } from '../../lib/canonical-query.ts'
import type { Entry } from './areas.ts'
import { CLIENT_CALLS } from './client-calls.ts'
import { type Language, literalOf, quoted } from './literals.ts'

export interface Sample {
  language: Language
  label: string
  /** What its colours go by. */
  highlight: string
  code: string
}

/** A request with the values of its examples. */
interface Filled {
  entry: Entry
  method: string
  /** The path with its values in place, and the query behind it. */
  target: string
  path: string
  /** The whole address. */
  url: string
  /** Those of an operation that is not signed; signing adds its own. */
  headers: Record<string, string>
  query: [name: string, value: string][]
  body: Record<string, unknown> | undefined
  /** All that is sent, by name. */
  input: Record<string, unknown>
}

/** An operation called in each language. Signed ones build on the files of `examples/`, set up once. */
export function samplesOf(entry: Entry): Sample[] {
  const filled = fill(entry)
  const { isSigned } = entry.api
  const typescript = isSigned ? clientCall(filled) : plainFetch(filled)
  return [
    { language: 'curl', label: 'curl', highlight: 'bash', code: curl(filled) },
    ...(typescript === null
      ? []
      : [
          {
            language: 'typescript' as const,
            label: 'TypeScript',
            highlight: 'javascript',
            code: typescript,
          },
        ]),
    {
      language: 'python',
      label: 'Python',
      highlight: 'python',
      code: isSigned ? pythonCall(filled) : plainPython(filled),
    },
    {
      language: 'php',
      label: 'PHP',
      highlight: 'php',
      code: isSigned ? phpCall(filled) : plainPhp(filled),
    },
  ]
}

function fill(entry: Entry): Filled {
  const { parameters = [], requestBody } = entry.operation
  const shown = parameters.filter(({ example }) => example !== undefined)
  const places = parameters.filter((parameter) => parameter.in === 'path')
  const path = places.reduce(
    (url, { name, example }) =>
      url.replace(`{${name}}`, encodeURIComponent(String(example ?? name))),
    entry.path,
  )
  const query = shown
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, example }): [string, string] => [name, String(example)])
  const example = requestBody?.content['application/json']?.example
  const body =
    typeof example === 'object' && example !== null
      ? withoutNulls(example, requestBody?.required)
      : undefined
  const target = query.length > 0 ? `${path}?${canonicalQuery(query)}` : path
  const asked = places.map(({ name, example: given }): [string, unknown] => [name, given ?? name])
  return {
    entry,
    method: entry.method.toUpperCase(),
    path,
    target,
    url: entry.api.baseUrl + target,
    headers: {
      ...(needsToken(entry) && { Authorization: 'Bearer YOUR_TOKEN' }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    query,
    body,
    input: { ...Object.fromEntries([...asked, ...query]), ...body },
  }
}

/** Whether a request of nobody is rejected, though it need not be signed. */
function needsToken({ api, operation }: Entry): boolean {
  const { security = [] } = operation
  return !api.isSigned && security.length > 0 && !security.some(isEmpty)
}

/** What an example leaves open need not be sent, nor a body in which nothing is left. */
function withoutNulls(example: object, isRequired = false): Record<string, unknown> | undefined {
  const given = Object.entries(example).filter(([, value]) => value !== null)
  return given.length > 0 || isRequired ? Object.fromEntries(given) : undefined
}

function curl({ entry, method, target, url, headers, body }: Filled): string {
  const { isSigned } = entry.api
  const verb = method === 'GET' || (method === 'POST' && body) ? '' : ` -X ${method}`
  const takesKey = entry.operation.parameters?.some(({ name }) => name === 'Idempotency-Key')
  const data = body && literalOf(body, 'curl').replaceAll("'", "'\\''")
  if (!isSigned) {
    const lines = [
      `curl${verb} '${url}'`,
      ...Object.entries(headers).map(([name, value]) =>
        // A process's arguments are no place for a token: printf is of the shell itself.
        name === 'Authorization'
          ? `  -H @<(printf 'Authorization: Bearer %s' "$ACCESS_TOKEN")`
          : `  -H '${name}: ${value}'`,
      ),
      ...(data === undefined ? [] : [`  -d '${data}'`]),
    ]
    return lines.join(' \\\n')
  }
  const lines = [
    `sign ${method} '${target}'${data === undefined ? '' : ' "$BODY"'} |\n  curl${verb} -H @- "$SERVICE_URL${target}"`,
    ...(takesKey ? ['    -H "Idempotency-Key: $(openssl rand -hex 16)"'] : []),
    ...(data === undefined
      ? []
      : [`    -H 'Content-Type: application/json' --data-binary @<(printf %s "$BODY")`]),
  ]
  return [
    '. ./market.sh',
    '',
    ...(data === undefined ? [] : [`BODY='${data}'`]),
    lines.join(' \\\n'),
  ].join('\n')
}

function clientCall({ entry, input }: Filled): string | null {
  const [method, ...places] = CLIENT_CALLS[entry.operation.operationId] ?? []
  if (method === undefined) return null
  const others = Object.fromEntries(
    Object.entries(input).filter(([name]) => !places.includes(name)),
  )
  const given = [
    ...places.map((name) => literalOf(input[name], 'typescript')),
    ...(Object.keys(others).length > 0 ? [literalOf(others, 'typescript')] : []),
  ]
  return `import { market } from './market.mjs'

const response = await market.${method}(${given.join(', ')})
console.log(response)`
}

function pythonCall({ method, path, query, body }: Filled): string {
  const given = [
    quoted(method, 'python'),
    quoted(path, 'python'),
    ...(query.length > 0 ? [`query=${literalOf(Object.fromEntries(query), 'python')}`] : []),
    ...(body === undefined ? [] : [`body=${literalOf(body, 'python')}`]),
  ]
  return `from market import call

response = call(${given.join(', ')})
print(response)`
}

function phpCall({ method, path, query, body }: Filled): string {
  const given = [
    quoted(method, 'php'),
    quoted(path, 'php'),
    ...(query.length > 0 ? [literalOf(query, 'php')] : []),
    ...(body === undefined ? [] : [`body: ${literalOf(body, 'php')}`]),
  ]
  return `<?php
require 'market.php';

$response = call(${given.join(', ')});
print_r($response);`
}

function plainFetch({ method, url, headers, body }: Filled): string {
  const options = [
    ...(method === 'GET' ? [] : [`method: ${quoted(method, 'typescript')}`]),
    ...(isEmpty(headers) ? [] : [`headers: ${literalOf(headers, 'typescript', 2)}`]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${literalOf(body, 'typescript', 2)})`]),
  ]
  const given = options.length > 0 ? `, {\n${options.map((one) => `  ${one},\n`).join('')}}` : ''
  return `const response = await fetch(${quoted(url, 'typescript')}${given})
console.log(await response.json())`
}

function plainPython({ method, url, headers, body }: Filled): string {
  const given = [
    quoted(url, 'python'),
    ...(method === 'GET' ? [] : [`method=${quoted(method, 'python')}`]),
    ...(isEmpty(headers) ? [] : [`headers=${literalOf(headers, 'python', 4)}`]),
    ...(body === undefined ? [] : [`data=json.dumps(${literalOf(body, 'python', 4)}).encode()`]),
  ]
  const request =
    given.length === 1
      ? given.join('')
      : `Request(\n${given.map((one) => `    ${one},\n`).join('')})`
  return `import json
from urllib.request import Request, urlopen

request = ${request}
with urlopen(request) as response:
    print(json.load(response))`
}

function plainPhp({ method, url, headers, body }: Filled): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const options = [
    ...(method === 'GET' ? [] : [`'method' => ${quoted(method, 'php')}`]),
    ...(isEmpty(headers) ? [] : [`'header' => ${literalOf(lines, 'php', 4)}`]),
    ...(body === undefined ? [] : [`'content' => json_encode(${literalOf(body, 'php', 4)})`]),
  ]
  const context =
    options.length === 0
      ? ''
      : `$context = stream_context_create(['http' => [\n${options.map((one) => `    ${one},\n`).join('')}]]);\n`
  return `<?php
${context}$response = file_get_contents(${quoted(url, 'php')}${context && ', false, $context'});
print_r(json_decode($response, true));`
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}
