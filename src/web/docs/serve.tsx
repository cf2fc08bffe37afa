import { promisify } from 'node:util'
import { brotliCompress, constants, gzip as gzipCompress } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { render } from 'preact-render-to-string'
import type { AppContext } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { readSession } from '../../http/session-cookie.ts'
import type { Web } from '../../http/web.ts'
import { once } from '../../lib/once.ts'
import { encodingFor } from '../assets.ts'
import { type PageOptions, pageHeaders, renderPage } from '../layout/frame.tsx'
import { addressOf, MOVED } from './addresses.ts'
import { type Area, areasOf, type Sources } from './areas.ts'
import { ErrorsPage } from './errors-page.tsx'
import { readExamples, readLibrary, readVectors, type Shelf, VECTORS } from './library.ts'
import { neighboursOf, sectionOf } from './navigation.ts'
import { DocumentPage, Overview, Results } from './pages.tsx'
import { AreaPage, ReferenceIndex } from './reference.tsx'
import { createSearch, type Hit } from './search.ts'
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

/** A page of the site: what stands between the header and the footer. */
interface Page {
  title: string
  html(): string
}

/** All that the site consists of. */
interface Site {
  shelves: Shelf[]
  areas: Area[]
  pages: ReadonlyMap<string, Page>
  find(): (q: string) => Hit[]
}

/**
 * Guides, references and all other documents as one site, which changes with a release only. The first request
 * reads it, and the first search indexes it: at every start that would be a quarter of the work.
 */
export function serveDocs(
  fastify: FastifyInstance,
  app: AppContext,
  web: Web,
  sources: () => Sources,
): void {
  const { baseUrl } = app.settings
  const examples = readExamples(baseUrl)
  const site = once(() => readSite(baseUrl, sources(), examples))

  for (const path of ['/docs', '/docs/*']) {
    fastify.get<{ Params: { '*'?: string } }>(
      path,
      { config: { page: true } },
      async (request, reply) => {
        const rest = request.params['*'] ?? ''
        const at = rest === '' ? '/docs' : `/docs/${rest}`
        const page = site().pages.get(at)
        if (page === undefined) return await redirect(request, reply, rest)
        const { title } = page
        const shown = <div dangerouslySetInnerHTML={{ __html: page.html() }} />
        return await send(request, reply, at, { title, description: describe(title) }, shown)
      },
    )
  }

  fastify.get<{ Querystring: { q?: string } }>(
    '/docs/search',
    { config: { page: true } },
    async (request, reply) => {
      const given = request.query.q
      const q = typeof given === 'string' ? given.trim().slice(0, MAX_QUERY) : ''
      const hits = q === '' ? [] : site().find()(q)
      const options = { title: 'Search the documentation', hidden: true }
      return await send(request, reply, '/docs/search', options, <Results q={q} hits={hits} />)
    },
  )

  file(`/${VECTORS}`, 'application/json; charset=utf-8', readVectors())
  for (const [name, text] of examples) {
    file(`/docs/examples/${name}`, 'text/plain; charset=utf-8', text)
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

  /** To where a page is now, or to the operation that the path names. */
  async function redirect(request: FastifyRequest, reply: FastifyReply, rest: string) {
    await web.countUnauthenticated(request, app.clock.now())
    const [, operation] = /^(?:operations|reference)\/(.+)$/.exec(rest) ?? []
    const to = operation ? addressOf(site().areas, operation) : MOVED.get(rest)
    if (to === undefined) throw notFound('document')
    return reply.redirect(to, 301)
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
    const { shelves, areas } = site()
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

function readSite(baseUrl: string, sources: Sources, examples: Map<string, string>): Site {
  const shelves = readLibrary(baseUrl)
  const areas = areasOf(sources)
  const pages = new Map<string, Page>()
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
  return { shelves, areas, pages, find: once(() => createSearch(searchEntries(shelves, areas))) }

  function page(path: string, title: string, body: () => VNode): void {
    pages.set(path, { title, html: once(() => render(body())) })
  }
}
