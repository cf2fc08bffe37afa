import type { FastifyRequest } from 'fastify'

/** Whether nobody is there yet: a browser or a program looks ahead, or at the head alone. */
export function isPrefetch({ method, headers }: FastifyRequest): boolean {
  const purpose = headers['sec-purpose'] ?? headers.purpose ?? headers['x-moz'] ?? ''
  return method === 'HEAD' || /prefetch|preview/i.test(String(purpose))
}
