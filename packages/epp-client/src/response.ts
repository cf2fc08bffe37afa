import { BadFrame, CommandRejected, NotPerformed } from './errors.ts'
import { EPP } from './namespaces.ts'
import { childOf, childrenOf, dateIn, textIn, wholeText, type XmlElement } from './xml.ts'

/** A response to a command (RFC 5730, section 2.6). */
export interface EppResponse {
  /** 1000 to 1999: it succeeded; 1001: it will be done later. */
  code: number
  message: string
  reason: string | null
  queue: QueuedMessage | null
  /** `resData` and `extension`, as they came. */
  data: XmlElement | null
  extension: XmlElement | null
  clientTransactionId: string | null
  serverTransactionId: string | null
}

interface QueuedMessage {
  id: string
  count: number
  queuedAt: Date | null
  text: string
}

/** The action waits for somebody (RFC 5730, section 3). */
export const PENDING = 1001

const MAX_TEXT = 1_000

/** Throws `BadFrame` where it is none. */
export function readResponse(document: XmlElement): EppResponse {
  const response = document.name === 'epp' ? childOf(document, EPP, 'response') : null
  const results = childrenOf(response, EPP, 'result')
  const [first] = results
  const code = Number(first?.attributes.get('code'))
  if (!response || !first || !Number.isInteger(code) || code < 1000 || code > 2999) {
    throw new BadFrame('The server sent no EPP response.')
  }
  const reasons = results
    .flatMap((result) => childrenOf(result, EPP, 'extValue'))
    .map((value) => textIn(value, EPP, 'reason'))
    .filter((reason) => reason !== null)
  const ids = childOf(response, EPP, 'trID')
  return {
    code,
    message: cut(textIn(first, EPP, 'msg') ?? `The server responded with ${code}.`),
    reason: reasons.length > 0 ? cut(reasons.join('; ')) : null,
    queue: readQueue(childOf(response, EPP, 'msgQ')),
    data: childOf(response, EPP, 'resData'),
    extension: childOf(response, EPP, 'extension'),
    clientTransactionId: textIn(ids, EPP, 'clTRID'),
    serverTransactionId: textIn(ids, EPP, 'svTRID'),
  }
}

/**
 * Throws `CommandRejected` or `NotPerformed` where a command did not succeed. After 2400 and 2500 to 2502 the
 * server has done nothing and may be asked again (RFC 5730, section 3).
 */
export function assertSuccess({ code, message, reason }: EppResponse): void {
  if (code < 2000) return
  if (code === 2400 || (code >= 2500 && code <= 2502)) {
    throw new NotPerformed(`${code} ${message}${reason ? `: ${reason}` : ''}`)
  }
  throw new CommandRejected(code, message, reason)
}

function readQueue(queue: XmlElement | null): QueuedMessage | null {
  const id = queue?.attributes.get('id')
  if (!queue || !id) return null
  const message = childOf(queue, EPP, 'msg')
  return {
    id,
    count: Number(queue.attributes.get('count')) || 0,
    queuedAt: readQueueDate(queue),
    text: message ? cut(wholeText(message)) : '',
  }
}

/** A message is not worth less for the time at which it says that it was written. */
function readQueueDate(queue: XmlElement): Date | null {
  try {
    return dateIn(queue, EPP, 'qDate')
  } catch {
    return null
  }
}

function cut(text: string): string {
  return text.slice(0, MAX_TEXT)
}
