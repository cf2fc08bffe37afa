import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import type { Web } from '../../http/web.ts'
import { serveBrand } from './serve-brand.ts'
import { serveIndex } from './serve-index.ts'
import { serveTexts } from './serve-texts.tsx'
import { serveTheme } from './serve-theme.ts'

/** What the marketplace shows of itself, to people and to machines. */
export function serveSite(fastify: FastifyInstance, app: AppContext, web: Web): void {
  serveBrand(fastify, app, web)
  serveIndex(fastify, app, web)
  serveTexts(fastify, app, web)
  serveTheme(fastify, app, web)
}
