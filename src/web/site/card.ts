import { type Brand, dataUrl, type LogoFile } from '../../core/brand.ts'
import { mix } from '../../lib/color.ts'
import { CARD } from '../layout/head.tsx'

export interface CardText {
  /** What it is about, in large letters. */
  text: string
  note: string
}

/** The large text, cut so that it fits, in a font size. */
interface Lines {
  lines: string[]
  size: number
}

const MARGIN = 80
const MAX_SIZE = 112
/** Below it a text is rather cut into one more line. */
const LEAST_SIZE = 58
const MAX_LINES = 3
const LOGO = 72
const FONT = 'font-family="DejaVu Sans"'

/** @param widthOf how wide a text in bold is, as a multiple of its font size */
export async function linesFor(
  text: string,
  widthOf: (escapedText: string) => Promise<number>,
): Promise<Lines> {
  const room = CARD.width - 2 * MARGIN
  for (let count = 1; ; count += 1) {
    const lines = cut(text, count)
    const widths = await Promise.all(lines.map((line) => widthOf(escaped(line))))
    const size = Math.min(MAX_SIZE, Math.floor(room / Math.max(...widths, 1)))
    if (size >= LEAST_SIZE || count === MAX_LINES) return { lines, size }
  }
}

/** Pieces of about the same length, cut behind a dot, hyphen or blank where there is one near by. */
function cut(text: string, count: number): string[] {
  if (count === 1) return [text]
  const letters = [...text]
  const length = Math.ceil(letters.length / count)
  const near = letters
    .slice(0, length + 4)
    .findLastIndex((letter, at) => at >= length - 8 && /[-\s]/.test(letter))
  const end = near > 0 ? near + 1 : length
  return [letters.slice(0, end).join(''), ...cut(letters.slice(end).join(''), count - 1)]
}

/** White on the brand's color, which has the contrast for it. */
export function cardSvg(
  { name, color, logo, baseUrl }: Brand,
  { text, note }: CardText,
  { lines, size }: Lines,
): string {
  const { width, height } = CARD
  const deep = mix(color, '#000000', 0.4)
  const leading = size * 1.15
  const top = height / 2 + size * 0.36 - ((lines.length - 1) * leading) / 2
  const host = new URL(baseUrl).host
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">
<defs><linearGradient id="ground" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="${color}"/><stop offset="1" stop-color="${deep}"/></linearGradient></defs>
<rect width="${width}" height="${height}" fill="url(#ground)"/>
<circle cx="1110" cy="560" r="250" fill="#fff" fill-opacity="0.06"/>
${logo?.file ? logoSvg(logo.file) : ''}
${text === name ? '' : `<text x="${logo?.file ? MARGIN + LOGO + 24 : MARGIN}" y="112" ${FONT} font-weight="700" font-size="34" fill="#fff">${escaped(name)}</text>`}
<g ${FONT} font-weight="700" font-size="${size}" fill="#fff">
${lines.map((line, index) => `<text x="${MARGIN}" y="${top + index * leading}">${escaped(line)}</text>`).join('\n')}
</g>
<text x="${MARGIN}" y="548" ${FONT} font-size="34" fill="#fff">${escaped(note)}</text>
<text x="${width - MARGIN}" y="548" text-anchor="end" ${FONT} font-size="26" fill="#fff">${escaped(host)}</text>
</svg>`
}

/** On white, since most logos are made for it. */
function logoSvg(file: LogoFile): string {
  const [at, inner] = [100 - LOGO / 2, LOGO - 16]
  return `<rect x="${MARGIN}" y="${at}" width="${LOGO}" height="${LOGO}" rx="14" fill="#fff"/><image href="${dataUrl(file)}" x="${MARGIN + 8}" y="${at + 8}" width="${inner}" height="${inner}"/>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
