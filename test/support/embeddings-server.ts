import { createHash } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { labelOf, splitLabel } from 'domain-marketplace-name-search'
import type { EmbeddingsSettings } from '../../src/core/settings.ts'
import { judgedSet } from '../../src/domain/search/judged-set.ts'
import { textOf } from '../../src/domain/search/query-text.ts'

interface Asked {
  headers: IncomingHttpHeaders
  path: string
  model: string
  input: string[]
  dimensions?: number
}

type Respond = (response: ServerResponse, asked: Asked) => unknown

export interface EmbeddingsServer {
  url: string
  settings: EmbeddingsSettings
  asked: Asked[]
  /** What it responds from now on; undefined takes it back to vectors. */
  answer(respond: Respond | undefined): void
  close(): Promise<void>
}

export const KEY = 'sk-do-not-log-0123456789'
const DIMENSIONS = 256
/** All texts have so much in common, as with many real models. */
const SHARED = 1.5
const NOISE = 0.3

/**
 * Speaks `/v1/embeddings` with toy vectors: a direction for each concept, and one by chance for each text
 * that is of none. So that it is used, it knows the grades of the judged set; unless it is not to help.
 */
export async function startEmbeddingsServer(
  concepts: Record<string, string[]>,
  { helps = true } = {},
): Promise<EmbeddingsServer> {
  const grades = helps ? gradesOfTexts() : new Map<string, [string, number][]>()
  let respond: Respond | undefined
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end()
      return
    }
    const chunks: Buffer[] = []
    request.on('error', () => {})
    response.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString())
      const one = { headers: request.headers, path: request.url ?? '', ...body } as Asked
      asked.push(one)
      if (respond) respond(response, one)
      else vectors(response, one)
    })
  })
  const listen = (port: number) =>
    new Promise<number>((resolve) =>
      server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
    )
  const url = `http://127.0.0.1:${await listen(0)}/v1/embeddings`

  function vectors(response: ServerResponse, { input, model, dimensions = DIMENSIONS }: Asked) {
    const data = input.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: vectorOf(text, model, dimensions),
    }))
    json(response, { object: 'list', model, data: data.toReversed(), usage: { total_tokens: 1 } })
  }

  function vectorOf(text: string, model: string, dimensions: number): number[] {
    const concept = Object.keys(concepts).find((name) => concepts[name]?.includes(text))
    const own = chance(text, dimensions)
    const shared = chance(`shared by ${model}`, dimensions)
    const graded = grades.get(text)
    const main =
      concept !== undefined
        ? chance(`concept ${concept}`, dimensions)
        : graded
          ? sumOf(graded, dimensions)
          : own
    return main.map((value, at) => value + NOISE * (own[at] ?? 0) + SHARED * (shared[at] ?? 0))
  }

  return {
    url,
    settings: { url, model: 'toy', key: KEY, dimensions: undefined, timeoutMs: 1_000 },
    asked,
    answer(next) {
      respond = next
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** Which queries of the judged set each text is or fits, and how well. */
function gradesOfTexts(): Map<string, [query: string, grade: number][]> {
  const grades = new Map<string, [string, number][]>()
  const add = (text: string, query: string, grade: number) =>
    grades.set(text, [...(grades.get(text) ?? []), [query, grade]])
  for (const { query, grades: fitting } of judgedSet().queries) {
    add(textOf(query), query, 2)
    for (const [name, grade] of fitting) add(splitLabel(labelOf(name)).join(' '), query, grade)
  }
  return grades
}

function sumOf(graded: [query: string, grade: number][], dimensions: number): number[] {
  const sum = Array<number>(dimensions).fill(0)
  for (const [query, grade] of graded) {
    for (const [at, value] of chance(`query ${query}`, dimensions).entries()) {
      sum[at] = (sum[at] ?? 0) + (grade / 2) * value
    }
  }
  return sum
}

/** The same direction each time for the same text. */
function chance(text: string, dimensions: number): number[] {
  const numbers: number[] = []
  for (let block = 0; numbers.length < dimensions; block += 1) {
    const hash = createHash('sha256').update(`${block} ${text}`).digest()
    for (const byte of hash) numbers.push(byte / 127.5 - 1)
  }
  return numbers.slice(0, dimensions)
}
