import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ownCookie } from '../accounts/cookie.ts'

const NOTE_SECONDS = 60

/** What the form before has done, said on the next page and no other; null when there is nothing to say. */
export function takeNote(
  { headers, method }: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
): string | null {
  const note = parseCookie(headers.cookie ?? '')[ownCookie(baseUrl, 'note').name] || null
  if (note !== null && method === 'GET') setNote(reply, baseUrl, '', 0)
  return note
}

/** Has the next page say this; an address that said it could be sent by anybody. */
export function leaveNote(reply: FastifyReply, baseUrl: string, text: string): void {
  setNote(reply, baseUrl, text, NOTE_SECONDS)
}

function setNote(reply: FastifyReply, baseUrl: string, value: string, maxAge: number): void {
  reply.header('set-cookie', stringifySetCookie({ ...ownCookie(baseUrl, 'note'), value, maxAge }))
}
