import { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import type { FastifyRequest } from 'fastify'
import { ApiError, invalid } from '../../core/errors.ts'
import { MAX_BYTES } from '../../domain/listings/upload-listings.ts'

/** With room for the form around the file. */
export const MAX_FILE_BYTES = MAX_BYTES + 64 * 1024

/** A file that a form sends, with the fields before it. */
export interface Upload {
  fields: Record<string, string>
  fileName: string
  content: AsyncIterable<Uint8Array>
  /** Reads what is left of the form, since the response goes by the same connection. */
  drain(): void
}

/** Reads a form up to its file, whose content is read by whoever gets it. */
export async function readUpload({ body, headers, raw }: FastifyRequest): Promise<Upload> {
  const type = headers['content-type']
  if (!(body instanceof Readable) || type === undefined) throw noFile()
  const fields: Record<string, string> = {}
  return await new Promise((resolve, reject) => {
    const form = new Busboy({
      headers: { ...headers, 'content-type': type },
      limits: { files: 1, fields: 10, fieldSize: 1_000, parts: 12 },
    })
    form.on('field', (name, value) => {
      fields[name] = value
    })
    form.on('file', (_name, content, fileName) => {
      raw.once('close', () => {
        if (!raw.complete) content.destroy(new Error('the upload broke off'))
      })
      if (fileName) {
        resolve({
          fields,
          fileName,
          content: content.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>,
          drain: () => void content.resume(),
        })
      } else {
        content.resume()
        reject(noFile())
      }
    })
    form.once('error', () =>
      reject(invalid({ field: 'file', issue: 'cannot be read: send it anew' })),
    )
    form.once('finish', () => reject(noFile()))
    body.pipe(form)
  })
}

function noFile() {
  return invalid({ field: 'file', issue: 'is missing: choose one' })
}

/** All of a file that has to be read before anything is done with it. */
export async function whole(
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of content) {
    length += chunk.length
    if (length > maxBytes) {
      const mebibytes = Math.floor(maxBytes / 1024 ** 2)
      throw new ApiError('payload_too_large', `This file can have at most ${mebibytes} MiB.`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export async function wholeText(
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<string> {
  return Buffer.from(await whole(content, maxBytes)).toString()
}
