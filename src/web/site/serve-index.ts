import type { FastifyInstance, FastifyReply } from 'fastify'
import { TEXT_NAMES } from '../../core/brand.ts'
import type { AppContext } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { dateOf } from '../../core/fields.ts'
import { countNameFiles, namesInFile } from '../../domain/listings/sitemap.ts'
import { allTlds } from '../../domain/registry/tlds.ts'
import type { Web } from '../../http/web.ts'
import { after, DAY } from '../../lib/clock.ts'

/** Beside what the market changes within a minute. */
const SITEMAP_SECONDS = 20
const TEXT_SECONDS = 3_600
const XML = 'application/xml; charset=utf-8'
const TEXT = 'text/plain; charset=utf-8'
const SCHEMA = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
/** RFC 9116 recommends less than a year. */
const CONTACT_DAYS = 180

/** What is for one person, or has no end. */
const NOT_FOR_ROBOTS = [
  '/account',
  '/api/',
  '/case/',
  '/checkout',
  '/confirm',
  '/d/*/checkout',
  '/docs/search',
  '/mcp',
  '/oauth/',
  '/operator',
  '/orders/',
  '/partner',
  '/r/',
  '/receipts/',
  '/search',
  '/sign-in',
  '/sign-up',
]

/** What search engines and security researchers look for at addresses that they know. */
export function serveIndex(fastify: FastifyInstance, app: AppContext, web: Web): void {
  const { db, clock, settings, brand } = app
  const { baseUrl } = settings
  const pages = [
    '/',
    '/browse',
    '/tlds',
    '/whois',
    '/docs',
    ...TEXT_NAMES.map((name) => `/${name}`),
    ...allTlds().map(({ tld }) => `/tlds/${tld}`),
  ]

  file('/robots.txt', async (reply) =>
    send(reply, TEXT, TEXT_SECONDS, [
      'User-agent: *',
      ...NOT_FOR_ROBOTS.map((path) => `Disallow: ${path}`),
      'Allow: /',
      '',
      `Sitemap: ${baseUrl}/sitemap.xml`,
    ]),
  )

  file('/sitemap.xml', async (reply, now) => {
    const count = await countNameFiles(db, now)
    const names = Array.from({ length: count }, (_, index) => `names-${index + 1}`)
    return send(reply, XML, SITEMAP_SECONDS, [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<sitemapindex ${SCHEMA}>`,
      ...['pages', ...names].map(
        (name) => `<sitemap><loc>${baseUrl}/sitemaps/${name}.xml</loc></sitemap>`,
      ),
      '</sitemapindex>',
    ])
  })

  file('/sitemaps/pages.xml', async (reply) =>
    sendUrls(
      reply,
      pages.map((path) => `<url><loc>${baseUrl}${path}</loc></url>`),
    ),
  )

  file('/sitemaps/:name', async (reply, now, name) => {
    const number = /^names-([1-9]\d{0,4})\.xml$/.exec(name)?.[1]
    const names = number === undefined ? null : await namesInFile(db, now, Number(number))
    if (names === null) throw notFound('sitemap')
    return sendUrls(
      reply,
      names.map(
        ({ domain, listed_at }) =>
          `<url><loc>${baseUrl}/d/${domain}</loc><lastmod>${dateOf(listed_at)}</lastmod></url>`,
      ),
    )
  })

  // RFC 9116.
  file('/.well-known/security.txt', async (reply, now) =>
    send(reply, TEXT, TEXT_SECONDS, [
      `Contact: ${brand.supportEmail === null ? `${baseUrl}/contact` : `mailto:${brand.supportEmail}`}`,
      `Expires: ${dateOf(after(now, CONTACT_DAYS * DAY))}T00:00:00.000Z`,
      'Preferred-Languages: en',
      `Canonical: ${baseUrl}/.well-known/security.txt`,
    ]),
  )

  function file(
    path: string,
    work: (reply: FastifyReply, now: Date, name: string) => Promise<FastifyReply>,
  ): void {
    fastify.get<{ Params: { name?: string } }>(path, async (request, reply) => {
      const now = clock.now()
      await web.countUnauthenticated(request, now)
      return await work(reply, now, request.params.name ?? '')
    })
  }
}

function sendUrls(reply: FastifyReply, urls: string[]): FastifyReply {
  return send(reply, XML, SITEMAP_SECONDS, [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<urlset ${SCHEMA}>`,
    ...urls,
    '</urlset>',
  ])
}

function send(reply: FastifyReply, type: string, seconds: number, lines: string[]): FastifyReply {
  return reply
    .headers({ 'content-type': type, 'cache-control': `public, max-age=${seconds}` })
    .send(`${lines.join('\n')}\n`)
}
