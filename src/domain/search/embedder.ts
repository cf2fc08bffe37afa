import { DeadlinePassed, withDeadline } from 'domain-marketplace-safe-fetch'
import { Agent, request } from 'undici'
import { z } from 'zod'
import type { EmbeddingsSettings } from '../../core/settings.ts'

/** Turns texts into vectors whose directions are near when the texts mean much the same. */
export interface Embedder {
  /** A vector for each text, in their order, all equally long; rejects with `EmbeddingsFailed`. */
  embed(texts: string[], signal: AbortSignal): Promise<Float32Array[]>
  close(): Promise<void>
}

export type FailureReason = 'unreachable' | 'timeout' | 'refused' | 'bad_status' | 'bad_answer'

/** `refused` is a request that the endpoint finds wrong, such as too many texts at once. */
export class EmbeddingsFailed extends Error {
  readonly reason: FailureReason

  constructor(reason: FailureReason, message: string) {
    super(message)
    this.reason = reason
  }
}

const TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 5_000
/** A number as JSON text takes up to about 25 bytes, and some servers print them on lines of their own. */
const BYTES_A_NUMBER = 40
const BYTES_AROUND = 100_000
const MIN_DIMENSIONS = 8
const MAX_DIMENSIONS = 8_192
const REJECTIONS = [400, 413, 422]

const Result = z.object({
  data: z.array(
    z.object({
      index: z.int().min(0),
      embedding: z.array(z.number()).min(MIN_DIMENSIONS).max(MAX_DIMENSIONS),
    }),
  ),
})

/** Any server that speaks OpenAI's `/v1/embeddings`. */
export function createEmbedder({ url, model, key, dimensions }: EmbeddingsSettings): Embedder {
  // The operator chose this address, as they chose the database's, so the guard against others' addresses
  // does not apply (docs/decisions). undici follows no redirect.
  const dispatcher = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS }, allowH2: false })

  async function exchange(texts: string[], signal: AbortSignal): Promise<unknown> {
    const { statusCode, body } = await request(url, {
      dispatcher,
      signal,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({
        model,
        input: texts,
        ...(dimensions !== undefined && { dimensions }),
      }),
    })
    if (statusCode !== 200) {
      // What it says is not kept: providers quote the key in it.
      body.on('error', () => {}).destroy()
      const reason = REJECTIONS.includes(statusCode) ? 'refused' : 'bad_status'
      throw new EmbeddingsFailed(reason, `the embeddings endpoint responded with ${statusCode}`)
    }
    const most = BYTES_AROUND + texts.length * (dimensions ?? MAX_DIMENSIONS) * BYTES_A_NUMBER
    const chunks: Buffer[] = []
    let received = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      received += chunk.length
      if (received > most) throw badResponse(`is longer than ${most} bytes`)
      chunks.push(chunk)
    }
    try {
      return JSON.parse(Buffer.concat(chunks).toString())
    } catch {
      throw badResponse('is not JSON')
    }
  }

  return {
    async embed(texts, signal) {
      try {
        const result = await withDeadline({ timeoutMs: TIMEOUT_MS, signal }, (ended) =>
          exchange(texts, ended),
        )
        return readVectors(result, texts.length, dimensions)
      } catch (error) {
        if (error instanceof EmbeddingsFailed) throw error
        if (error instanceof DeadlinePassed) throw new EmbeddingsFailed('timeout', error.message)
        const { code = 'broken off' } = error as NodeJS.ErrnoException
        throw new EmbeddingsFailed(
          'unreachable',
          `the embeddings endpoint cannot be reached (${code})`,
        )
      }
    },
    close: () => dispatcher.destroy(),
  }
}

function readVectors(output: unknown, count: number, dimensions?: number): Float32Array[] {
  const result = Result.safeParse(output)
  if (!result.success) throw badResponse('has no list of vectors of numbers in `data`')
  const { data } = result.data
  const vectors = data
    .toSorted((a, b) => a.index - b.index)
    .map(({ embedding }) => Float32Array.from(embedding))
  if (data.length !== count || new Set(data.map(({ index }) => index)).size !== count) {
    throw badResponse(`has ${data.length} vectors for ${count} texts`)
  }
  const length = dimensions ?? vectors[0]?.length
  if (vectors.some((vector) => vector.length !== length)) {
    throw badResponse(`has vectors of other than ${length} dimensions`)
  }
  if (vectors.some((vector) => !vector.every(Number.isFinite))) {
    throw badResponse('has numbers that no float can hold')
  }
  return vectors
}

/** The endpoint may respond with another length from one day to the next: another model behind the name. */
export function requireDimensions(vector: Float32Array | undefined, dimensions: number): void {
  if (vector?.length !== dimensions) {
    throw badResponse(`has ${vector?.length} dimensions instead of ${dimensions}`)
  }
}

function badResponse(why: string): EmbeddingsFailed {
  return new EmbeddingsFailed('bad_answer', `the embeddings endpoint's response ${why}`)
}
