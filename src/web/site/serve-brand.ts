import { parseDomainName } from 'domain-marketplace-domain-names'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { LOGO_PATH } from '../../core/brand.ts'
import type { AppContext } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { findLiveListing } from '../../domain/listings/listing.ts'
import type { Web } from '../../http/web.ts'
import { contrast, darkenedFor, lightenedFor, mix, READABLE } from '../../lib/color.ts'
import { markSvg } from '../components/mark.tsx'
import { CARD_PATH } from '../layout/head.tsx'
import { createPictures } from './pictures.ts'

const HOUR_SECONDS = 3_600
const YEAR_SECONDS = 31_536_000
/** Even opened by itself, a picture runs and loads nothing. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** The marketplace's colors, logo and icons, and the pictures that networks show of its pages. */
export function serveBrand(fastify: FastifyInstance, app: AppContext, web: Web): void {
  const { brand, db, clock } = app
  const pictures = createPictures(brand)
  fastify.addHook('onClose', () => pictures.stop())

  if (brand.logo?.file) {
    const { type, bytes, mailed } = brand.logo.file
    file(LOGO_PATH, YEAR_SECONDS, type, async () => bytes)
    file(`${LOGO_PATH}.png`, YEAR_SECONDS, mailed.type, async () => mailed.bytes)
  }
  file('/brand/touch-icon.png', HOUR_SECONDS, 'image/png', pictures.touchIcon)
  file('/favicon.ico', HOUR_SECONDS, 'image/png', pictures.touchIcon)
  file(CARD_PATH, HOUR_SECONDS, 'image/png', pictures.site)
  colored('/brand/icon.svg', 'image/svg+xml', (color) => markSvg(color))
  colored('/brand/accent.css', 'text/css; charset=utf-8', accentCss)

  fastify.get<{ Params: { name: string } }>('/d/:name/card.png', async (request, reply) => {
    await web.countUnauthenticated(request, clock.now())
    const name = parseDomainName(request.params.name)
    const listing = name === null ? undefined : await findLiveListing(db, name.domain)
    // Others have no picture: anybody could have one drawn of anything.
    if (!listing) throw notFound('picture')
    const note = listing.status === 'sold' ? 'Sold' : 'This name is for sale'
    const picture = await pictures.ofName(listing.domain, note)
    return send(reply, 'image/png', HOUR_SECONDS, picture)
  })

  function file(path: string, seconds: number, type: string, read: () => Promise<Buffer>): void {
    fastify.get(path, async (request, reply) => {
      await web.countUnauthenticated(request, clock.now())
      return send(reply, type, seconds, await read())
    })
  }

  /** What is made of a color that its address names, and so never changes. */
  function colored(path: string, type: string, make: (color: string) => string): void {
    fastify.get<{ Querystring: { color?: string | string[] } }>(path, async (request, reply) => {
      await web.countUnauthenticated(request, clock.now())
      const color = `#${String(request.query.color ?? brand.color.slice(1)).toLowerCase()}`
      if (!/^#[0-9a-f]{6}$/.test(color) || contrast(color, '#ffffff') < READABLE) {
        throw notFound('color')
      }
      return send(reply, type, YEAR_SECONDS, make(color))
    })
  }
}

function send(
  reply: FastifyReply,
  type: string,
  seconds: number,
  content: Buffer | string,
): FastifyReply {
  return reply
    .headers({
      'content-type': type,
      'content-security-policy': PICTURE_POLICY,
      'cache-control': `public, max-age=${seconds}`,
      'cross-origin-resource-policy': 'cross-origin',
    })
    .send(content)
}

/** What `assets/styles/tokens.css` has light and dark grounds of. */
const GROUNDS = { light: ['#ffffff', '#f8f9fa'], dark: ['#16191d', '#0d0f12'] }
/** In the dark a little more, as the standard colors have it. */
const READABLE_IN_THE_DARK = 7

/** The colors of buttons, links and what they stand on, in either theme. */
function accentCss(color: string): string {
  const tint = { light: mix(color, '#ffffff', 0.92), dark: mix(color, '#0d0f12', 0.82) }
  const light = darkenedFor(color, [...GROUNDS.light, tint.light], READABLE)
  const dark = lightenedFor(color, [...GROUNDS.dark, tint.dark], READABLE_IN_THE_DARK)
  return `:root {
  --accent: light-dark(${light}, ${dark});
  --accent-strong: light-dark(${mix(light, '#000000', 0.18)}, ${mix(dark, '#ffffff', 0.3)});
  --tint: light-dark(${tint.light}, ${tint.dark});
}
`
}
