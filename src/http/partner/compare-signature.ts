import { canonicalQuery, queryPairs } from '../../lib/canonical-query.ts'
import {
  canonicalString,
  equalInConstantTime,
  hmacHex,
  requestSignature,
} from '../../lib/signature.ts'
import { explainSignature, type SignedRequest } from './explain-signature.ts'

/** The six lines of a canonical string. */
const LINES = ['Method', 'Path', 'Query', 'Timestamp', 'Nonce', 'Body hash'] as const
/** What follows differs for certain, and nobody reads thousands of lines that are too many. */
const MAX_LINES = 20

interface ComparedLine {
  name: string
  /** What the service signs; null where the partner has a line too many. */
  ours: string | null
  /** What the partner signed; null where a line is missing. */
  theirs: string | null
  isSame: boolean
}

export interface Comparison {
  lines: ComparedLine[]
  /** The first line that differs, and where in it; null when none does. */
  first: { line: number; column: number } | null
}

/** Line by line; what a form sent is read with plain line breaks. */
export function compareStrings(ours: string, theirs: string): Comparison {
  const left = ours.split('\n')
  const right = theirs.replace(/\r\n?/g, '\n').split('\n', MAX_LINES)
  const lines = Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const [mine, yours] = [left[index] ?? null, right[index] ?? null]
    const name = LINES[index] ?? `Line ${index + 1}`
    return { name, ours: mine, theirs: yours, isSame: mine === yours }
  })
  const line = lines.findIndex(({ isSame }) => !isSame)
  const found = lines[line]
  return { lines, first: found ? { line, column: columnOf(found) } : null }
}

function columnOf({ ours, theirs }: ComparedLine): number {
  const [a, b] = [ours ?? '', theirs ?? '']
  let column = 0
  while (column < a.length && a[column] === b[column]) column += 1
  return column
}

/** A request as a partner describes it: the URL in full or its target, and the headers it sent. */
export interface Described {
  method: string
  url: string
  /** One a line, as `Name: value`. */
  headers: string
  body: string
}

export interface SentHeaders {
  keyId: string
  timestamp: string
  nonce: string
  signature: string
}

export function readSentHeaders(text: string): SentHeaders {
  const fields = new Map(text.split(/\r\n?|\n/).flatMap(readField))
  const field = (name: string) => fields.get(`x-service-${name}`) ?? ''
  return {
    keyId: field('key-id'),
    timestamp: field('timestamp'),
    nonce: field('nonce'),
    signature: field('signature'),
  }
}

/** A pattern for the whole line would take the square of its blanks to find out where its value ends. */
function readField(line: string): [name: string, value: string][] {
  const [, name, rest = ''] = /^['"]?([\w-]+)['"]?\s*[:=](.*)$/.exec(line.trim()) ?? []
  if (name === undefined) return []
  const value = rest
    .trim()
    .replace(/^['"]/, '')
    .replace(/['"]?[,;]?$/, '')
  return [[name.toLowerCase(), value]]
}

/** The request that the service would have seen. */
export function describedRequest(
  { method, url, body }: Described,
  { timestamp, nonce }: SentHeaders,
): SignedRequest {
  const target = url
    .trim()
    .replace(/^[a-z]+:\/\/[^/?#]*/i, '')
    .replace(/#.*$/, '')
  const mark = target.indexOf('?')
  const rawQuery = mark === -1 ? '' : target.slice(mark + 1)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return {
    method,
    path: mark === -1 ? target : target.slice(0, mark),
    rawQuery,
    query: canonicalQuery(queryPairs(rawQuery)),
    timestamp,
    nonce,
    body: Buffer.from(hasBody ? body.replace(/\r\n/g, '\n') : ''),
  }
}

export type Verdict =
  | { kind: 'right' }
  /** The signature is of the partner's string with this secret: the string is what is wrong. */
  | { kind: 'other_string' }
  /** It is of neither string with this secret. */
  | { kind: 'other_secret'; cause: string | null }

/** What a signature is made of, as far as the credential's secret tells; the secret never shows. */
export function judgeSignature(
  { keyId, secret }: { keyId: string; secret: string },
  request: SignedRequest,
  signature: string,
  theirs: string,
): Verdict {
  if (equalInConstantTime(requestSignature(secret, canonicalString(request)), signature)) {
    return { kind: 'right' }
  }
  const { likely_cause } = explainSignature(keyId, secret, request, signature)
  if (likely_cause !== null) return { kind: 'other_secret', cause: likely_cause }
  const sent = signature.replace(/^v1=/, '').toLowerCase()
  const text = theirs.replace(/\r\n?/g, '\n')
  return theirs !== '' && equalInConstantTime(hmacHex(secret, text), sent)
    ? { kind: 'other_string' }
    : { kind: 'other_secret', cause: null }
}
