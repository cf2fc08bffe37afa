import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createDrawing } from '../lib/drawing.ts'
import { harmlessSvg } from '../lib/harmless-svg.ts'
import { BadSetting, type Settings } from './settings.ts'

/** What a page looks like that a partner's link led to: theirs where they have it, and ours otherwise. */
export interface Look {
  name: string
  /** `#rrggbb`, with enough contrast on white. */
  color: string
  logo: Logo | null
  supportEmail: string | null
}

/** The marketplace as it shows itself to people. */
export interface Brand extends Look {
  /** Who sells. */
  legal: { name: string; address: string | null; country: string | null; taxId: string | null }
  /** Addresses of others; null where the page is ours. */
  termsUrl: string | null
  privacyUrl: string | null
  /** Texts of the operator's own, in Markdown. */
  texts: Partial<Record<TextName, string>>
  /** The public address, without a slash at the end. */
  baseUrl: string
}

interface Logo {
  /** An https address, or a path of ours that changes with the file. */
  src: string
  /** Null where it is at another host, which nobody here asks for it. */
  file: LogoFile | null
}

export interface LogoFile {
  type: 'image/svg+xml' | 'image/png' | 'image/jpeg'
  bytes: Buffer
  /** For mails, whose readers show no SVG. */
  mailed: { type: 'image/png' | 'image/jpeg'; bytes: Buffer }
  /** A PNG for invoices, at the right of a frame of `PRINTED`. */
  printed: Buffer
}

/** Of the logo on an invoice, in points, which are drawn three times as fine. */
export const PRINTED = { width: 160, height: 28 }

/** The pages that say who runs the marketplace, and by which rules. */
export const TEXT_NAMES = ['about', 'contact', 'terms', 'privacy'] as const
export type TextName = (typeof TEXT_NAMES)[number]

export const LOGO_PATH = '/brand/logo'
const MAX_BYTES = 256 * 1024
const MAILED_WIDTH = 480

/** The brand of the settings, with the logo read from its file; what cannot be shown stops the start. */
export async function loadBrand({ brand, platform, pagesDir, baseUrl }: Settings): Promise<Brand> {
  return {
    name: brand.name,
    color: brand.color,
    logo: brand.logo === undefined ? null : await logoOf(brand.logo),
    supportEmail: brand.supportEmail ?? null,
    legal: {
      name: platform.name ?? brand.name,
      address: platform.address ?? null,
      country: platform.country ?? null,
      taxId: platform.taxId ?? null,
    },
    termsUrl: brand.termsUrl ?? null,
    privacyUrl: brand.privacyUrl ?? null,
    texts: pagesDir === undefined ? {} : textsIn(pagesDir),
    baseUrl,
  }
}

/** Who sells, in one line; null where there is no more to say than the marketplace's name. */
export function legalLine({ name, legal }: Brand): string | null {
  const line = [legal.name, legal.address, legal.country].filter(Boolean).join(', ')
  return line === name ? null : line
}

async function logoOf(setting: string): Promise<Logo> {
  if (/^https:/i.test(setting)) return { src: new URL(setting).href, file: null }
  const file = await readLogo(setting)
  const version = createHash('sha256').update(file.bytes).digest('base64url').slice(0, 12)
  return { src: `${LOGO_PATH}?v=${version}`, file }
}

async function readLogo(path: string): Promise<LogoFile> {
  const file = await pictureIn(readSmall('BRAND_LOGO', path))
  if (file === null) {
    throw new BadSetting(`BRAND_LOGO: ${path} is not an SVG, PNG or JPEG picture`)
  }
  return file
}

function textsIn(folder: string): Brand['texts'] {
  let files: string[]
  try {
    files = readdirSync(folder)
  } catch (error) {
    throw new BadSetting(`PAGES_DIR: ${folder} cannot be read: ${(error as Error).message}`)
  }
  const names = TEXT_NAMES.filter((name) => files.includes(`${name}.md`))
  if (names.length === 0) {
    throw new BadSetting(`PAGES_DIR: ${folder} has none of ${TEXT_NAMES.join('.md, ')}.md`)
  }
  return Object.fromEntries(
    names.map((name) => [name, readSmall('PAGES_DIR', join(folder, `${name}.md`)).toString()]),
  )
}

function readSmall(setting: string, path: string): Buffer {
  try {
    if (statSync(path).size > MAX_BYTES) {
      throw new BadSetting(`${setting}: ${path} is larger than 256 KiB`)
    }
    return readFileSync(path)
  } catch (error) {
    if (error instanceof BadSetting) throw error
    throw new BadSetting(`${setting}: ${path} cannot be read: ${(error as Error).message}`)
  }
}

/** By what is in it: a name can say anything. */
async function pictureIn(bytes: Buffer): Promise<LogoFile | null> {
  const begin = bytes.subarray(0, 8).toString('latin1')
  if (begin.startsWith('\x89PNG\r\n\x1a\n')) return await drawn('image/png', bytes)
  if (begin.startsWith('\xff\xd8\xff')) return await drawn('image/jpeg', bytes)
  const svg = harmlessSvg(bytes.toString('utf8'))
  return svg === null ? null : await drawn('image/svg+xml', Buffer.from(svg))
}

/** Null where it cannot be drawn. */
async function drawn(type: LogoFile['type'], bytes: Buffer): Promise<LogoFile | null> {
  const { width, height } = PRINTED
  const frame = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"><image href="${dataUrl({ type, bytes })}" width="${width}" height="${height}" preserveAspectRatio="xMaxYMid"/></svg>`
  const drawing = createDrawing()
  try {
    const printed = await drawing.png(frame, 3 * width)
    const mailed =
      type === 'image/svg+xml'
        ? { type: 'image/png' as const, bytes: await drawing.png(bytes.toString(), MAILED_WIDTH) }
        : { type, bytes }
    return { type, bytes, mailed, printed }
  } catch {
    return null
  } finally {
    await drawing.stop()
  }
}

/** A picture as an address that holds it. */
export function dataUrl({ type, bytes }: Pick<LogoFile, 'type' | 'bytes'>): string {
  return `data:${type};base64,${bytes.toString('base64')}`
}
