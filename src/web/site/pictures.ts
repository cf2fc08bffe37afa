import { withULabels } from 'domain-marketplace-domain-names'
import { type Brand, dataUrl } from '../../core/brand.ts'
import { ApiError } from '../../core/errors.ts'
import { createDrawing } from '../../lib/drawing.ts'
import { markSvg } from '../components/mark.tsx'
import { CARD } from '../layout/head.tsx'
import { type CardText, cardSvg, linesFor } from './card.ts'

/** Each has some 90 KB. */
const MAX_KEPT = 200
/** At some 50 ms each; whoever comes then is asked to come back. */
const MAX_WAITING = 40
const TOUCH_ICON = 180

/** Pictures that networks and phones show, which take no SVG: drawn when asked for, and kept for a while. */
export interface Pictures {
  /** For the marketplace itself. */
  site(): Promise<Buffer>
  /** For a name, with what is said of it. */
  ofName(domain: string, note: string): Promise<Buffer>
  touchIcon(): Promise<Buffer>
  stop(): Promise<void>
}

export function createPictures(brand: Brand): Pictures {
  const drawing = createDrawing()
  let waiting = 0
  const kept = new Map<string, Promise<Buffer>>()

  return {
    site: () => keep('site', () => card({ text: brand.name, note: 'Domain names for sale' })),
    ofName: (domain, note) =>
      keep(`${note} ${domain}`, () => card({ text: readable(domain), note })),
    touchIcon: () => keep('touch icon', () => drawing.png(touchIconSvg(brand), TOUCH_ICON)),
    stop: drawing.stop,
  }

  function keep(key: string, make: () => Promise<Buffer>): Promise<Buffer> {
    const known = kept.get(key)
    if (known) {
      // Asked for last, it goes last.
      kept.delete(key)
      kept.set(key, known)
      return known
    }
    if (waiting >= MAX_WAITING) {
      throw new ApiError('unavailable', 'Too many pictures are being drawn.', { retryAfter: 5 })
    }
    waiting += 1
    const made = make().finally(() => {
      waiting -= 1
    })
    kept.set(key, made)
    made.catch(() => kept.delete(key))
    const [oldest] = kept.keys()
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
    return made
  }

  async function card(said: CardText): Promise<Buffer> {
    const lines = await linesFor(said.text, drawing.widthOf)
    return await drawing.png(cardSvg(brand, said, lines), CARD.width)
  }
}

/** Scripts that the font has. A name in another one is written as it is sent. */
const DRAWN =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Hebrew}\p{Script=Arabic}\d.-]+$/u

function readable(domain: string): string {
  const shown = withULabels(domain)
  return DRAWN.test(shown) ? shown : domain
}

/** Phones cut its corners off themselves, and show nothing through it. */
function touchIconSvg({ logo, color }: Brand): string {
  if (!logo?.file) return markSvg(color, 0)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" fill="#fff"/><image href="${dataUrl(logo.file)}" x="4" y="4" width="24" height="24"/></svg>`
}
