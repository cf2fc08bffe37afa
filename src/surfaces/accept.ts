import Negotiator from 'negotiator'

/** Whether a caller would rather have this type than JSON (RFC 9110, 12.5.1). */
export function prefersOverJson(type: string, accept: string | undefined): boolean {
  if (accept === undefined) return false
  return new Negotiator({ headers: { accept } }).mediaType(['application/json', type]) === type
}
