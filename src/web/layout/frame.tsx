import type { FastifyReply } from 'fastify'
import type { ComponentChildren, VNode } from 'preact'
import { render } from 'preact-render-to-string'
import type { User } from '../../domain/accounts/user.ts'
import { scriptAddress, styleAddress } from '../assets.ts'

/** A letter and a dot, as every name has them. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1864ab"/><g fill="#fff"><path d="M12.5 8.5a7 7 0 1 0 0 14 7 7 0 0 0 0-14m0 4a3 3 0 1 1 0 6 3 3 0 0 1 0-6"/><circle cx="24.5" cy="20" r="2.5"/></g></svg>',
)}`

export interface PageOptions {
  title: string
  status?: number
  /** Where a form's answer may lead beside here, as CSP sources: browsers check redirects too. */
  formTargets?: string[]
  /** Who looks; null is anybody. Without it the page stands alone, with no way to the rest of the site. */
  viewer?: Pick<User, 'email' | 'is_operator' | 'partner_id'> | null
  /** Which of the site's links the page belongs to, by its words; of a section it is the name. */
  at?: string
  /** The part of the site that the page belongs to, with its own navigation. */
  section?: Section
  /** A page that shows much: tables and lists instead of one card. */
  wide?: boolean
  /** Anyone may keep a public page so long; others are kept by nobody. */
  cacheSeconds?: number
  /** Names a private page that is known by its address alone. */
  hidden?: boolean
  /** Of `assets/scripts`; a page does its work without them. */
  scripts?: string[]
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
 * comes from another host, nobody can frame it, and its address is told to nobody.
 */
export function sendPage(reply: FastifyReply, options: PageOptions, body: VNode): FastifyReply {
  return reply
    .code(options.status ?? 200)
    .headers(pageHeaders(options))
    .send(`<!doctype html>${render(<Frame {...options}>{body}</Frame>)}`)
}

export function pageHeaders({
  formTargets = [],
  cacheSeconds = 0,
  hidden = false,
  scripts = [],
}: PageOptions): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self' data:",
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

export function Frame({
  title,
  viewer,
  section,
  at = section?.name,
  wide = false,
  hidden = false,
  scripts = [],
  children,
}: PageOptions & { children: ComponentChildren }) {
  const main = (
    <main id="content" class={section ? undefined : wide ? 'wide' : 'card'}>
      {children}
    </main>
  )
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {hidden && <meta name="robots" content="noindex, nofollow" />}
        <title>{[title, section?.name, 'Domain Marketplace'].filter(Boolean).join(' · ')}</title>
        <link rel="stylesheet" href={styleAddress} />
        <link rel="icon" type="image/svg+xml" href={ICON} />
        {scripts.map((name) => (
          <script type="module" src={scriptAddress(name)} />
        ))}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href="/">
            Domain Marketplace
          </a>
          {viewer !== undefined && <SiteLinks viewer={viewer} at={at} />}
        </header>
        {section ? (
          <div class="section">
            <SideLinks {...section} />
            {main}
          </div>
        ) : (
          main
        )}
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
    ...(viewer ? ([['Partner', '/partner']] as [string, string][]) : []),
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
