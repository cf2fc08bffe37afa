import { randomBytes } from 'node:crypto'
import { sha256 } from './signature.ts'

/** What a token is for can be read off its beginning, by people and by scanners for leaked secrets. */
export type TokenKind =
  | 'mkt_access'
  | 'mkt_refresh'
  | 'mkt_code'
  | 'mkt_pat'
  | 'mkt_session'
  | 'mkt_check'
  | 'mkt_admin'
  | 'mkt_link'

/** A new token, and its hash: all that is kept of it. 256 random bits need no salt. */
export function newToken(kind: TokenKind): { token: string; hash: Uint8Array } {
  const token = `${kind}_${randomBytes(32).toString('base64url')}`
  return { token, hash: sha256(token) }
}
