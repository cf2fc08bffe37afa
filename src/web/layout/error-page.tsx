import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiError } from '../../core/errors.ts'
import { Field } from '../components/form.tsx'
import { errorText } from '../components/humanize.ts'
import { sendPage } from './frame.tsx'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Errors of this route are pages for people. */
    page?: true
  }
}

const TITLES: Partial<Record<number, string>> = {
  400: 'That did not work',
  401: 'Please sign in',
  403: 'Not allowed',
  404: 'Nothing here',
  421: 'Nothing here',
  409: 'That is not possible now',
  429: 'Too many requests',
  503: 'Back in a moment',
}

const NO_PAGE = 'There is no page at this address. It may be mistyped, or the page is gone.'

/** Whether an error is told to a person: on the routes of pages, and where a browser asks for no API. */
export function wantsErrorPage(request: FastifyRequest, { code }: ApiError): boolean {
  // At another host none of the routes was asked for.
  const isPage = request.routeOptions?.config?.page === true && code !== 'misdirected_request'
  if (isPage) return true
  const path = request.raw.url ?? ''
  if (/^\/(?:api|mcp|health|metrics|\.well-known)(?:[/?]|$)/.test(path)) return false
  return /^text\/html\b/.test(request.headers.accept ?? '')
}

export function sendErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  error: ApiError,
): FastifyReply {
  const [path = '', query] = request.url.split('?')
  const isPage = request.method === 'GET' && request.routeOptions?.config?.page === true
  // A wrong filter or an old cursor: the page itself is well.
  const isWrongQuery = isPage && error.status === 400 && query !== undefined
  const isElsewhere = error.code === 'misdirected_request'
  const isNoPage = request.is404 && error.status === 404
  const title = TITLES[error.status] ?? (error.status < 500 ? TITLES[400] : 'Our mistake')
  return sendPage(
    reply,
    { title: title ?? '', status: error.status, hidden: true, abroad: isElsewhere },
    <>
      <h1>{title}</h1>
      <p>{isNoPage ? NO_PAGE : errorText(error)}</p>
      {isWrongQuery && (
        <p>
          <a href={path}>Open the page without filters, at its start</a>
        </p>
      )}
      {error.status === 404 && (
        <form method="get" action="/search" role="search">
          <Field label="Search for a name" name="q" type="search" required />
          <button type="submit">Search</button>
        </form>
      )}
      {(error.status === 404 || error.status === 403) && (
        <nav class="ways" aria-label="Ways on">
          <a href="/">Front page</a>
          <a href="/account">Your account</a>
          {error.status === 403 ? (
            <a href="/partner">Partner portal</a>
          ) : (
            <a href="/docs">Documentation</a>
          )}
        </nav>
      )}
      {isElsewhere && (
        <p>
          <a href={`${reply.server.brand.baseUrl}/`}>Go to {reply.server.brand.name}</a>
        </p>
      )}
      <p class="soft">
        Reference <code>{request.id}</code>
      </p>
    </>,
  )
}
