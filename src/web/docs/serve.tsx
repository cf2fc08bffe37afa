import { promisify } from 'node:util'
import { brotliCompress, constants, gzip as gzipCompress } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { render } from 'preact-render-to-string'
import type { AppContext } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { readSession } from '../../http/session-cookie.ts'
import type { Web } from '../../http/web.ts'
import { encodingFor } from '../assets.ts'
import { type PageOptions, pageHeaders, renderPage } from '../layout/frame.tsx'
import { addressOf, MOVED } from './addresses.ts'
import { areasOf, type Sources } from './areas.ts'
import { ErrorsPage } from './errors-page.tsx'
import { readExamples, readLibrary, readVectors, VECTORS } from './library.ts'
import { neighboursOf, sectionOf } from './navigation.ts'
import { DocumentPage, Overview, Results } from './pages.tsx'
import { AreaPage, ReferenceIndex } from './reference.tsx'
import { createSearch } from './search.ts'
import { searchEntries } from './search-entries.ts'

const [brotli, gzip] = [promisify(brotliCompress), promisify(gzipCompress)]
const CACHE_SECONDS = 300
const MAX_QUERY = 100
const SCRIPTS = ['docs']
/** A reference is long, and holds nothing that a compression could tell others of. */
const ENCODERS = {
  br: (html: Buffer) => brotli(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (html: Buffer) => gzip(html),
  identity: async (html: Buffer) => html,
}

/** Guides, references and all other documents as one site, which changes with a release only. */
export function serveDocs(
  fastify: FastifyInstance,
  app: AppContext,
  web: Web,
  sources: Sources,
): void {
  const { baseUrl } = app.settings
  const shelves = readLibrary(baseUrl)
  const areas = areasOf(sources)
  const examples = readExamples(baseUrl)
  const find = createSearch(searchEntries(shelves, areas))

  page('/docs', 'Documentation', () => <Overview areas={areas} />)
  page('/docs/reference', 'API reference', () => <ReferenceIndex areas={areas} />)
  page('/docs/errors', 'Errors', () => <ErrorsPage areas={areas} />)
  for (const area of areas) page(area.path, area.name, () => <AreaPage area={area} />)
  for (const document of shelves.flatMap(({ documents }) => documents)) {
    const more = neighboursOf(shelves, document)
    page(document.path, document.title, () => (
      <DocumentPage document={document} more={more} examples={examples} />
    ))
  }

  fastify.get<{ Querystring: { q?: string } }>(
    '/docs/search',
    { config: { page: true } },
    async (request, reply) => {
      const given = request.query.q
      const q = typeof given === 'string' ? given.trim().slice(0, MAX_QUERY) : ''
      const hits = q === '' ? [] : find(q)
      const options = { title: 'Search the documentation', hidden: true }
      return await send(request, reply, '/docs/search', options, <Results q={q} hits={hits} />)
    },
  )

  file(`/${VECTORS}`, 'application/json; charset=utf-8', readVectors())
  for (const [name, text] of examples) {
    file(`/docs/examples/${name}`, 'text/plain; charset=utf-8', text)
  }

  for (const [path, target] of MOVED) redirect(path, () => target)
  redirect('/docs/operations/*', (name) => addressOf(areas, name))
  redirect('/docs/reference/*', (name) => addressOf(areas, name))
  redirect('/docs/*', () => undefined)

  function page(path: string, title: string, body: () => VNode): void {
    let html: string | undefined
    fastify.get(path, { config: { page: true } }, async (request, reply) => {
      html ??= render(body())
      const shown = <div dangerouslySetInnerHTML={{ __html: html }} />
      return await send(request, reply, path, { title, description: describe(title) }, shown)
    })
  }

  function describe(title: string): string {
    return `${title}: how to sell the names of ${app.brand.name} from your own product, or read its market.`
  }

  function file(path: string, type: string, content: string | Buffer): void {
    fastify.get(path, async (request, reply) => {
      await web.countUnauthenticated(request, app.clock.now())
      return reply
        .headers({ 'content-type': type, 'cache-control': `public, max-age=${CACHE_SECONDS}` })
        .send(content)
    })
  }

  function redirect(path: string, target: (rest: string) => string | undefined): void {
    fastify.get<{ Params: { '*'?: string } }>(
      path,
      { config: { page: true } },
      async (request, reply) => {
        await web.countUnauthenticated(request, app.clock.now())
        const to = target(request.params['*'] ?? '')
        if (to === undefined) throw notFound('document')
        return reply.redirect(to, 301)
      },
    )
  }

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    options: PageOptions,
    body: VNode,
  ): Promise<FastifyReply> {
    await web.countUnauthenticated(request, app.clock.now())
    const session = await readSession(request, app)
    const shown: PageOptions = {
      ...options,
      scripts: SCRIPTS,
      viewer: session?.user ?? null,
      section: sectionOf(shelves, areas, path),
      ...(session === null && { cacheSeconds: CACHE_SECONDS }),
    }
    const html = Buffer.from(renderPage(reply, shown, body))
    const encoding = encodingFor(request)
    return reply
      .headers({
        ...pageHeaders(reply, shown),
        'content-encoding': encoding,
        // The navigation says who has signed in, and the rest is the same for everybody.
        vary: 'cookie, accept-encoding',
      })
      .send(await ENCODERS[encoding](html))
  }
}
