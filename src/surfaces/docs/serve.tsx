import { promisify } from 'node:util'
import { brotliCompress, constants, gzip as gzipCompress } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { render } from 'preact-render-to-string'
import { notFound } from '../../kernel/errors.ts'
import type { House } from '../../kernel/house.ts'
import { readSession } from '../accounts/cookie.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { encodingFor } from '../pages/assets.ts'
import { Frame, type PageOptions, pageHeaders, type Section } from '../pages/frame.tsx'
import type { Web } from '../web.ts'
import { type Document, readLibrary, readVectors, type Shelf, VECTORS } from './library.ts'
import { DocSearch, DocumentPage, Overview, Results } from './pages.tsx'
import { entriesOf, REFERENCES, Reference } from './reference.tsx'
import { createSearch, type Entry } from './search.ts'

const [brotli, gzip] = [promisify(brotliCompress), promisify(gzipCompress)]
const CACHE_SECONDS = 300
const MAX_QUERY = 100
/** A reference is long, and holds nothing that a compression could tell others of. */
const ENCODERS = {
  br: (html: Buffer) => brotli(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (html: Buffer) => gzip(html),
  identity: async (html: Buffer) => html,
}
/** Their shelf is long: the navigation leads to its first document, which lists the others. */
const DECISIONS = 'Decisions'

/** Guides, references and all other documents as one site, which changes with a release only. */
export function serveDocs(
  app: FastifyInstance,
  house: House,
  web: Web,
  documents: Record<(typeof REFERENCES)[number]['source'], OpenApiDocument>,
): void {
  const shelves = readLibrary()
  const byPath = new Map(shelves.flatMap((shelf) => shelf.documents).map((one) => [one.path, one]))
  const find = createSearch(entries())
  const [publicApi, partnerApi] = REFERENCES

  route(publicApi.path, 'Documentation', () => (
    <>
      <Overview shelves={shelves} />
      <h2 class="title">{publicApi.title}</h2>
      <Reference document={documents[publicApi.source]} shown={publicApi} />
    </>
  ))
  route(partnerApi.path, partnerApi.title, () => (
    <>
      <DocSearch />
      <h1>{partnerApi.title}</h1>
      <Reference document={documents[partnerApi.source]} shown={partnerApi} />
    </>
  ))
  for (const document of byPath.values()) {
    route(document.path, document.title, () => (
      <DocumentPage document={document} more={neighboursOf(document)} />
    ))
  }

  app.get<{ Querystring: { q?: string } }>(
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

  const vectors = readVectors()
  app.get(`/${VECTORS}`, async (request, reply) => {
    await web.countUnauthenticated(request, house.clock.now())
    return reply
      .headers({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': `public, max-age=${CACHE_SECONDS}`,
      })
      .send(vectors)
  })

  app.get('/docs/*', { config: { page: true } }, async (request) => {
    await web.countUnauthenticated(request, house.clock.now())
    throw notFound('document')
  })

  function route(path: string, title: string, body: () => VNode): void {
    let html: string | undefined
    app.get(path, { config: { page: true } }, async (request, reply) => {
      html ??= render(body())
      const shown = <div dangerouslySetInnerHTML={{ __html: html }} />
      return await send(request, reply, path, { title }, shown)
    })
  }

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    options: PageOptions,
    body: VNode,
  ): Promise<FastifyReply> {
    await web.countUnauthenticated(request, house.clock.now())
    const session = await readSession(request, house)
    const shown: PageOptions = {
      ...options,
      viewer: session?.user ?? null,
      section: sectionOf(shelves, path),
      ...(session === null && { cacheSeconds: CACHE_SECONDS }),
    }
    const html = Buffer.from(`<!doctype html>${render(<Frame {...shown}>{body}</Frame>)}`)
    const encoding = encodingFor(request)
    return reply
      .headers({
        ...pageHeaders(shown),
        'content-encoding': encoding,
        // The navigation says who has signed in, and the rest is the same for everybody.
        vary: 'cookie, accept-encoding',
      })
      .send(await ENCODERS[encoding](html))
  }

  function neighboursOf(document: Document): Document[] {
    const decisions = shelves.find(({ title }) => title === DECISIONS)?.documents ?? []
    return document === decisions[0] ? decisions.slice(1) : []
  }

  function entries(): Entry[] {
    const sections = [...byPath.values()].flatMap(({ path, label, sections: parts }) =>
      parts.map(({ id, title, text }) => ({ id: `${path}#${id}`, page: label, title, text })),
    )
    const operations = REFERENCES.flatMap(({ path, title: page, source }) =>
      entriesOf(documents[source]).map(({ method, path: called, operation }) => ({
        id: `${path}#${operation.operationId}`,
        page,
        title: operation.summary,
        text: `${method.toUpperCase()} ${called} ${operation.operationId}\n${operation.description ?? ''}`,
      })),
    )
    return [...operations, ...sections]
  }
}

function sectionOf(shelves: Shelf[], at: string): Section {
  const groups = shelves.map(({ title, documents }) => {
    const shown = title === DECISIONS ? documents.slice(0, 1) : documents
    return { label: title, links: shown.map(({ path, label }) => ({ path, label })) }
  })
  const references = REFERENCES.map(({ path, title }) => ({ path, label: title }))
  const [start, reference, ...others] = groups
  const isDecision = at.startsWith('/docs/decisions')
  return {
    name: 'Docs',
    at: isDecision ? '/docs/decisions' : at,
    groups: [
      { label: 'Start', links: start?.links ?? [] },
      { label: 'Reference', links: [...references, ...(reference?.links ?? [])] },
      ...others,
    ],
  }
}
