import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { pathOf, readForm } from '../../http/same-origin.ts'
import { ownCookie } from '../../http/session-cookie.ts'
import type { Web } from '../../http/web.ts'
import { DAY, SECOND } from '../../lib/clock.ts'
import { THEME_PATH, THEME_STYLE, THEMES } from '../layout/theme.tsx'

const KEPT_SECONDS = (365 * DAY) / SECOND

/** Light, dark, or as the visitor's system has it: kept in a cookie, and asked for by a stylesheet of its own. */
export function serveTheme(fastify: FastifyInstance, app: AppContext, web: Web): void {
  const { baseUrl } = app.settings
  const cookie = ownCookie(baseUrl, 'theme')

  // Pages that anyone may keep are the same for all visitors, so what differs is not in them.
  fastify.get(THEME_STYLE, async (request, reply) => {
    const kept = parseCookie(request.headers.cookie ?? '')[cookie.name]
    const theme = THEMES.find(({ value }) => value === kept) ?? THEMES[0]
    return reply
      .header('content-type', 'text/css; charset=utf-8')
      .header('cache-control', 'private, no-cache')
      .send(
        // Paper is light, whatever the screen is.
        `@media screen{:root{color-scheme:${theme.scheme}}}.theme [value=${theme.value}]{color:var(--ink);font-weight:600}`,
      )
  })

  fastify.post(THEME_PATH, { config: { page: true } }, async (request, reply) => {
    await web.countUnauthenticated(request, app.clock.now())
    const form = readForm(request, baseUrl)
    const { value } = THEMES.find((each) => each.value === form.get('theme')) ?? THEMES[0]
    const set = stringifySetCookie({ ...cookie, value, maxAge: KEPT_SECONDS })
    return reply.header('set-cookie', set).redirect(pathOf(form.get('back')), 303)
  })

  // Where a rejected form leaves its sender.
  fastify.get(THEME_PATH, async (_request, reply) => reply.redirect('/', 303))
}
