import type { FastifyRequest } from 'fastify'
import { isRobot } from '../lib/robots.ts'

/** Whether nobody is there yet: a browser or a program looks ahead, or at the head alone. */
export function isPrefetch({ method, headers }: FastifyRequest): boolean {
  const purpose = headers['sec-purpose'] ?? headers.purpose ?? headers['x-moz'] ?? ''
  return method === 'HEAD' || /prefetch|preview/i.test(String(purpose))
}

/** Whether somebody looks, as far as a request tells: no robot, and nothing that looks ahead. */
export function isCounted(request: FastifyRequest): boolean {
  return !isPrefetch(request) && !isRobot(request.headers['user-agent'] ?? '')
}
