import { BadFrame } from './errors.ts'

/** The length of a frame, itself included, comes before it in network byte order (RFC 5734, section 4). */
const HEADER_BYTES = 4

export function encodeFrame(xml: string): Buffer {
  const text = Buffer.from(xml)
  const frame = Buffer.allocUnsafe(HEADER_BYTES + text.length)
  frame.writeUInt32BE(frame.length)
  text.copy(frame, HEADER_BYTES)
  return frame
}

/** Takes what a connection brings, in pieces of any size, and gives the frames in it. */
export class FrameReader {
  readonly #maxBytes: number
  #chunks: Buffer[] = []
  #received = 0
  /** Of the frame that is being read, once its header is there. */
  #length: number | undefined

  /** @param maxBytes a frame that says it is longer is rejected before it is read */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Whether the other side would end in the middle of a frame if it ended now. */
  get isInFrame(): boolean {
    return this.#received > 0
  }

  /** Throws `BadFrame` where no frame can begin. */
  push(chunk: Buffer): string[] {
    this.#chunks.push(chunk)
    this.#received += chunk.length
    const frames: string[] = []
    for (;;) {
      if (this.#length === undefined && this.#received >= HEADER_BYTES) {
        this.#length = this.#checked(this.#joined().readUInt32BE())
      }
      if (this.#length === undefined || this.#received < this.#length) return frames
      frames.push(this.#take(this.#length))
      this.#length = undefined
    }
  }

  #checked(length: number): number {
    if (length > HEADER_BYTES && length <= this.#maxBytes) return length
    throw new BadFrame(`The server began a frame of ${length} bytes, which is no EPP.`)
  }

  #joined(): Buffer {
    const joined = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks)
    this.#chunks = [joined ?? Buffer.alloc(0)]
    return joined ?? Buffer.alloc(0)
  }

  #take(length: number): string {
    const joined = this.#joined()
    const rest = joined.subarray(length)
    this.#chunks = rest.length > 0 ? [rest] : []
    this.#received = rest.length
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(joined.subarray(HEADER_BYTES, length))
    } catch {
      throw new BadFrame('The server sent a frame that is not UTF-8.')
    }
  }
}
