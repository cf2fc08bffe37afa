import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { render } from 'preact-render-to-string'
import type { House } from '../../kernel/house.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { Web } from '../web.ts'
import { DOCUMENTS, Page } from './page.tsx'

/** Nothing but our own style sheet: no script, no frame, no other host. */
const POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const STYLE = readFileSync(new URL('../../../assets/docs.css', import.meta.url))

/** The documents as pages for people. Like them, they change with a release only. */
export function serveDocs(
  app: FastifyInstance,
  { clock }: House,
  web: Web,
  documents: Record<(typeof DOCUMENTS)[number]['source'], OpenApiDocument>,
): void {
  for (const shown of DOCUMENTS) {
    const html = `<!doctype html>${render(<Page document={documents[shown.source]} shown={shown} />)}`
    serve(shown.path, 'text/html; charset=utf-8', Buffer.from(html))
  }
  serve('/docs/style.css', 'text/css; charset=utf-8', STYLE)

  function serve(path: string, type: string, bytes: Buffer): void {
    app.get(path, async (request, reply) => {
      await web.countUnauthenticated(request, clock.now())
      return reply
        .headers({
          'content-type': type,
          'content-security-policy': POLICY,
          'referrer-policy': 'no-referrer',
          'cache-control': 'public, max-age=300',
        })
        .send(bytes)
    })
  }
}
