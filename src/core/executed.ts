/** What an operation responded, now or when its key was first used. */
export interface Executed<T = unknown> {
  readonly status: number
  readonly value: T
  /** The bytes of the response; of a repeat, those of the first. */
  readonly body: string
  readonly replayed: boolean
  /** False while a repeat may learn more. */
  readonly isFinal: boolean
  /** Null is JSON. */
  readonly mediaType: string | null
}

/** A response that was made now; its bytes may be known already. */
export function made(status: number, value: unknown, body?: string, isFinal = true): Executed {
  return {
    status,
    value,
    get body() {
      return body ?? JSON.stringify(value)
    },
    replayed: false,
    isFinal,
    mediaType: null,
  }
}

/** A response that an earlier call with the same key stored. */
export function replayed(stored: {
  status: number
  body: string
  media_type?: string | null
}): Executed {
  const { status, body, media_type: mediaType = null } = stored
  return {
    status,
    body,
    get value() {
      return JSON.parse(body) as unknown
    },
    replayed: true,
    isFinal: true,
    mediaType,
  }
}
