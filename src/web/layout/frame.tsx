import type { FastifyReply } from 'fastify'
import type { ComponentChildren, VNode } from 'preact'
import { render } from 'preact-render-to-string'
import type { Brand, Look } from '../../core/brand.ts'
import type { Environment } from '../../core/caller.ts'
import type { User } from '../../domain/accounts/user.ts'
import { Mark } from '../components/mark.tsx'
import { Footer } from './footer.tsx'
import { Head } from './head.tsx'
import { brandOf, logoSource, SiteContext } from './site.ts'
import { SkipLinks } from './skip-links.tsx'

export interface PageOptions {
  title: string
  status?: number
  /** Where the response to a form may lead beside here, as CSP sources: browsers check redirects too. */
  formTargets?: string[]
  /** Who looks; null is anybody. Without it the page stands alone, with no way to the rest of the site. */
  viewer?: Pick<User, 'email' | 'is_operator' | 'partner_id'> | null
  /** Which of the site's links the page belongs to, by its words; of a section it is the name. */
  at?: string
  /** The part of the site that the page belongs to, with its own navigation. */
  section?: Section
  /** The environment that the page is about; absent: both, or neither. */
  environment?: Environment | undefined
  /** A page that shows much: tables and lists instead of one card. */
  wide?: boolean
  /** Anyone may keep a public page so long; others are kept by nobody. */
  cacheSeconds?: number
  /** Names a private page that is known by its address alone. */
  hidden?: boolean
  /** Of `assets/scripts`; a page does its work without them. */
  scripts?: string[]
  /** What search engines and networks say of the page. */
  description?: string
  /** The path that the page is known by; absent: its own, without a query. */
  canonical?: string
  /** Shown where the page is shared: a path of a PNG of 1200 by 630. */
  picture?: { path: string; alt: string }
  /** What the page is about, for machines (schema.org). */
  jsonLd?: object
  /** Of a partner whose link led here; absent: the marketplace's own. */
  look?: Look | null
  /** It is at another host than ours: what it links to of ours is in full. */
  abroad?: boolean
}

/** A part of the site; links in groups, each with a count where something waits. */
export interface Section {
  name: string
  /** The path of the page, or of the link that it belongs to. */
  at: string
  groups: { label: string; links: { path: string; label: string; count?: string }[] }[]
}

/**
 * Sends a page: everything in it is escaped by the renderer, nothing runs in it but our own files, nothing
 * comes from another host but the logo, nobody can frame it, and its address is told to nobody.
 */
export function sendPage(reply: FastifyReply, options: PageOptions, body: VNode): FastifyReply {
  return reply
    .code(options.status ?? 200)
    .headers(pageHeaders(reply, options))
    .send(renderPage(reply, options, body))
}

export function pageHeaders(
  reply: FastifyReply,
  { formTargets = [], cacheSeconds = 0, hidden = false, scripts = [], look }: PageOptions,
): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      "style-src 'self'",
      ["img-src 'self' data:", ...logoSource(brandOf(reply, look))].join(' '),
      ...(scripts.length > 0 ? ["script-src 'self'", "connect-src 'self'"] : []),
      `form-action ${["'self'", ...formTargets].join(' ')}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': cacheSeconds > 0 ? `public, max-age=${cacheSeconds}` : 'no-store',
    ...(hidden && { 'x-robots-tag': 'noindex, nofollow' }),
  }
}

/** The whole document, in the brand of the marketplace or the look of a partner. */
export function renderPage(reply: FastifyReply, options: PageOptions, body: VNode): string {
  const { method, url } = reply.request
  const [path = '/'] = url.split('?')
  const site = brandOf(reply, options.look)
  return `<!doctype html>${render(
    <SiteContext.Provider value={site}>
      <Frame {...options} path={path} back={method === 'GET' ? url : path} site={site}>
        {body}
      </Frame>
    </SiteContext.Provider>,
  )}`
}

function Frame({
  children,
  ...options
}: PageOptions & { path: string; back: string; site: Brand; children: ComponentChildren }) {
  const { viewer, section, at = section?.name, wide = false } = options
  const { environment, site, back, abroad = false } = options
  const home = abroad ? site.baseUrl : ''
  const main = (
    <main id="content" class={section ? undefined : wide ? 'wide' : 'card'}>
      {children}
    </main>
  )
  const brand = (
    <>
      <Mark logo={site.logo} />
      <span>{site.name}</span>
    </>
  )
  return (
    <html lang="en">
      <Head {...options} />
      <body class={environment}>
        <SkipLinks />
        <header class="top">
          {options.look ? (
            <span class="brand">{brand}</span>
          ) : (
            <a class="brand" href={`${home}/`}>
              {brand}
            </a>
          )}
          {viewer !== undefined && <SiteLinks viewer={viewer} at={at} />}
        </header>
        {environment === 'sandbox' && (
          <aside class="sandbox-mark" aria-label="Sandbox">
            <strong>Sandbox</strong> Test data: no money moves, and no domain changes hands.
          </aside>
        )}
        {section ? (
          <div class="section">
            <SideLinks {...section} />
            {main}
          </div>
        ) : (
          main
        )}
        <Footer site={site} home={home} back={back} />
      </body>
    </html>
  )
}

function SiteLinks({
  viewer,
  at,
}: {
  viewer: NonNullable<PageOptions['viewer']> | null
  at: string | undefined
}) {
  const links: [label: string, path: string][] = [
    ['Names', '/browse'],
    ['Prices', '/tlds'],
    ['WHOIS', '/whois'],
    ['Docs', '/docs'],
    ...(viewer?.is_operator ? ([['Operator', '/operator']] as [string, string][]) : []),
    ...(viewer && isPartners(viewer) ? ([['Partner', '/partner']] as [string, string][]) : []),
    viewer ? ['Account', '/account'] : ['Sign in', '/sign-in'],
  ]
  return (
    <nav aria-label="Site">
      {links.map(([label, path]) => (
        <a href={path} aria-current={at === label ? 'true' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  )
}

/** Anyone may become a partner, but operators, who have more to choose from than fits in a line of a phone. */
function isPartners({ is_operator, partner_id }: NonNullable<PageOptions['viewer']>): boolean {
  return partner_id !== null || !is_operator
}

function SideLinks({ name, at, groups }: Section) {
  return (
    <nav class="side" aria-label={name}>
      {groups.map(({ label, links }) => (
        <>
          <p>{label}</p>
          {links.map((link) => (
            <a href={link.path} aria-current={link.path === at ? 'page' : undefined}>
              {link.label}
              {link.count !== undefined && <span class="count">{link.count}</span>}
            </a>
          ))}
        </>
      ))}
    </nav>
  )
}
