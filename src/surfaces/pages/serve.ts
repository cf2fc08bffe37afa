import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { House } from '../../kernel/house.ts'
import type { Web } from '../web.ts'

const STYLE = readFileSync(new URL('../../../assets/pages.css', import.meta.url))

/** What all pages share. */
export function servePageAssets(app: FastifyInstance, { clock }: House, web: Web): void {
  app.get('/pages/style.css', async (request, reply) => {
    await web.countUnauthenticated(request, clock.now())
    return reply
      .headers({
        'content-type': 'text/css; charset=utf-8',
        'cache-control': 'public, max-age=300',
      })
      .send(STYLE)
  })
}
