import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import type { Web } from '../../http/web.ts'
import { createPublicPages, type PublicPagesOptions } from './public-pages.ts'
import { serveLists } from './serve-lists.tsx'
import { serveName } from './serve-name.tsx'
import { serveOffer } from './serve-offer.tsx'
import { serveSearch } from './serve-search.tsx'

/** The marketplace's pages, for everybody. */
export function serveMarket(
  fastify: FastifyInstance,
  app: AppContext,
  web: Web,
  options: PublicPagesOptions,
): void {
  const pages = createPublicPages(fastify, app, web, options)
  serveSearch(pages, app)
  serveName(pages, app, web, options)
  serveLists(pages, app)
  serveOffer(fastify, app, web)
}
