import type { FastifyReply } from 'fastify'
import type { ComponentChildren, VNode } from 'preact'
import { render } from 'preact-render-to-string'

export interface PageOptions {
  title: string
  status?: number
  /** Where a form's answer may lead beside here, as CSP sources: browsers check redirects too. */
  formTargets?: string[]
  /** What stands in the header's right corner, such as who is signed in. */
  corner?: ComponentChildren
  /** A page that shows much: tables and lists instead of one card. */
  wide?: boolean
  /** Anyone may keep a public page so long; others are kept by nobody. */
  cacheSeconds?: number
  /** Names a private page that is known by its address alone. */
  hidden?: boolean
}

/**
 * Sends a page: everything in it is escaped by the renderer, nothing in it runs, comes from another host
 * or can be framed, and its address is told to nobody.
 */
export function sendPage(reply: FastifyReply, options: PageOptions, body: VNode): FastifyReply {
  const { status = 200, formTargets = [], cacheSeconds = 0, hidden = false } = options
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        "default-src 'none'",
        "style-src 'self'",
        "img-src 'self' data:",
        `form-action ${["'self'", ...formTargets].join(' ')}`,
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': cacheSeconds > 0 ? `public, max-age=${cacheSeconds}` : 'no-store',
      ...(hidden && { 'x-robots-tag': 'noindex, nofollow' }),
    })
    .send(`<!doctype html>${render(<Frame {...options}>{body}</Frame>)}`)
}

function Frame({
  title,
  corner,
  wide = false,
  hidden = false,
  children,
}: PageOptions & { children: ComponentChildren }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {hidden && <meta name="robots" content="noindex, nofollow" />}
        <title>{`${title} · Domain Marketplace`}</title>
        <link rel="stylesheet" href="/pages/style.css" />
        <link rel="icon" href="data:," />
      </head>
      <body>
        <header class="top">
          <a class="brand" href="/">
            Domain Marketplace
          </a>
          <div class="corner">{corner}</div>
        </header>
        <main class={wide ? 'wide' : 'card'}>{children}</main>
      </body>
    </html>
  )
}

/** A labelled input; `hint` and `problem` are read out with it. */
export function Field({
  label,
  name,
  hint,
  problem,
  ...input
}: {
  label: string
  name: string
  hint?: string | undefined
  problem?: string | undefined
  type?: string
  value?: string | undefined
  autocomplete?: string
  required?: boolean
  minlength?: number
  maxlength?: number
  autofocus?: boolean
  inputmode?: 'numeric' | 'decimal' | 'email' | 'tel' | 'text'
  placeholder?: string
}) {
  const note = problem ?? hint
  return (
    <label class="field">
      <span>{label}</span>
      <input
        name={name}
        aria-describedby={note === undefined ? undefined : `${name}-note`}
        aria-invalid={problem === undefined ? undefined : 'true'}
        {...(input as object)}
      />
      {note !== undefined && (
        <small id={`${name}-note`} class={problem === undefined ? 'hint' : 'problem'}>
          {note}
        </small>
      )}
    </label>
  )
}

/** What went wrong, or well, above a form. */
export function Notice({
  kind,
  children,
}: {
  kind: 'error' | 'good' | 'info'
  children: ComponentChildren
}) {
  return (
    <p class={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      {children}
    </p>
  )
}
