import Negotiator from 'negotiator'

/** Whether a caller would rather have this type than JSON (RFC 9110, 12.5.1). */
export function prefersOverJson(type: string, accept: string | undefined): boolean {
  if (accept === undefined) return false
  // All our text is UTF-8; to a negotiator a type with the charset said is another type.
  const plain = accept.replaceAll(/;\s*charset="?utf-8"?/gi, '')
  const wanted = new Negotiator({ headers: { accept: plain } })
  return wanted.mediaType(['application/json', type]) === type
}
