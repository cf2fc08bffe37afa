/** Nothing was sent, or the server said that it did nothing and may be asked again. */
export class NotPerformed extends Error {}

/** The command was sent, and no whole and right response to it came: it may have taken effect. */
export class ResponseLost extends Error {}

/** The server rejected the command: a repeat would meet the same. */
export class CommandRejected extends Error {
  /** A result code of RFC 5730, section 3, such as 2304. */
  readonly code: number
  /** What the server added to its words (`extValue/reason`), if anything. */
  readonly reason: string | null

  constructor(code: number, message: string, reason: string | null) {
    super(message)
    this.code = code
    this.reason = reason
  }
}

export type OpeningStep = 'connect' | 'tls' | 'greeting' | 'login'

/** No session could be opened. */
export class OpeningFailed extends NotPerformed {
  readonly step: OpeningStep

  constructor(step: OpeningStep, message: string) {
    super(message)
    this.step = step
  }
}

/** What came is no frame, no XML or no EPP. */
export class BadFrame extends Error {}

export function messageOf(error: unknown): string {
  // The message of OpenSSL names lines of its source as well.
  if (isTlsError(error)) return String(Reflect.get(error, 'reason') ?? error.message)
  return error instanceof Error && error.message !== '' ? error.message : String(error)
}

export function isTlsError(error: unknown): error is Error {
  return error instanceof Error && String(Reflect.get(error, 'code')).startsWith('ERR_SSL_')
}
