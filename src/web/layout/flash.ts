import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ownCookie } from '../../http/session-cookie.ts'

const NOTE_SECONDS = 60

/** What the form before has done, said on the next page and no other; null when there is nothing to say. */
export function takeFlash(
  { headers, method }: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
): string | null {
  const note = parseCookie(headers.cookie ?? '')[ownCookie(baseUrl, 'note').name] || null
  if (note !== null && method === 'GET') setFlashCookie(reply, baseUrl, '', 0)
  return note
}

/** Has the next page say this; an address that said it could be sent by anybody. */
export function setFlash(reply: FastifyReply, baseUrl: string, text: string): void {
  setFlashCookie(reply, baseUrl, text, NOTE_SECONDS)
}

function setFlashCookie(reply: FastifyReply, baseUrl: string, value: string, maxAge: number): void {
  reply.header('set-cookie', stringifySetCookie({ ...ownCookie(baseUrl, 'note'), value, maxAge }))
}
