import type { FastifyReply } from 'fastify'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Brand, Look } from '../../core/brand.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What every page shows of the marketplace. */
    brand: Brand
  }
}

/** Where the accent colors of a brand are; `assets/styles/tokens.css` has those of the standard one. */
export function accentAddress(color: string): string {
  return `/brand/accent.css?color=${color.slice(1)}`
}

export const STANDARD_COLOR = '#1864ab'

/** The brand of a page: ours, or in the look of the partner whose link led to it. */
export function brandOf(reply: FastifyReply, look: Look | null | undefined): Brand {
  return { ...reply.server.brand, ...look }
}

/** The host of the logo as a source of a content security policy: that picture and nothing more. */
export function logoSource({ logo }: Look): string[] {
  if (logo === null || logo.file !== null) return []
  const { origin, pathname } = new URL(logo.src)
  return [origin + pathname.replaceAll(';', '%3B').replaceAll(',', '%2C')]
}

/** Where the marketplace's own texts are; in full, from a page that is at another host. */
export function rulesOf({ termsUrl, privacyUrl }: Brand, home = '') {
  const terms = termsUrl ?? `${home}/terms`
  return {
    terms,
    privacy: privacyUrl ?? `${home}/privacy`,
    /** The operator's own terms have them wherever they have them. */
    refunds: termsUrl ?? `${terms}#refunds`,
  }
}

/** The brand of the page that is being rendered. */
export const SiteContext = createContext<Brand | null>(null)

export function useSite(): Brand {
  const site = useContext(SiteContext)
  if (site === null) throw new Error('only what is within a page has its brand')
  return site
}
