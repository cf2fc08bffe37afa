import { Empty } from '../pages/parts.tsx'
import type { Document, Shelf } from './library.ts'
import type { Hit } from './search.ts'

const MIN_CONTENTS = 3

export function DocSearch({ q }: { q?: string }) {
  return (
    <form class="doc-search" action="/docs/search" role="search">
      <label>
        <span class="hidden">Search the documentation</span>
        <input
          name="q"
          type="search"
          value={q}
          maxlength={100}
          required
          placeholder="Search the documentation"
        />
      </label>
      <button type="submit" class="quiet">
        Search
      </button>
    </form>
  )
}

/** A document, with the way to its parts. */
export function DocumentPage({ document, more }: { document: Document; more: Document[] }) {
  const parts = document.sections.filter(({ level }) => level === 2)
  return (
    <>
      <DocSearch />
      <div class="doc">
        {parts.length >= MIN_CONTENTS && (
          <nav class="contents" aria-label="On this page">
            <p>On this page</p>
            {parts.map(({ id, title }) => (
              <a href={`#${id}`}>{title}</a>
            ))}
          </nav>
        )}
        <article class="prose">
          {/* Rendered from our own files by a library that lets no HTML through. */}
          <div dangerouslySetInnerHTML={{ __html: document.html }} />
          {more.length > 0 && (
            <ul>
              {more.map(({ path, title }) => (
                <li>
                  <a href={path}>{title}</a>
                </li>
              ))}
            </ul>
          )}
        </article>
      </div>
    </>
  )
}

/** Where to begin, above the first reference. */
export function Overview({ shelves }: { shelves: Shelf[] }) {
  const [start, , running] = shelves
  return (
    <>
      <h1>Documentation</h1>
      <p class="lead">
        Sell names as a partner, read the market from anywhere, or run the whole marketplace
        yourself.
      </p>
      <DocSearch />
      <div class="doors">
        {[...(start?.documents ?? []), ...(running?.documents.slice(0, 1) ?? [])].map(
          (document) => (
            <a href={document.path}>
              <strong>{document.label}</strong>
              <span>{firstSentence(document)}</span>
            </a>
          ),
        )}
        <a href="/docs/partner">
          <strong>Partner API</strong>
          <span>
            Every signed call: search, quotes, orders, checkout, brokerage, webhooks, money.
          </span>
        </a>
      </div>
    </>
  )
}

export function Results({ q, hits }: { q: string; hits: Hit[] }) {
  return (
    <>
      <h1>{q === '' ? 'Search the documentation' : `“${q}” in the documentation`}</h1>
      <DocSearch q={q} />
      {hits.length === 0 && q !== '' && (
        <div class="panel">
          <Empty title="Nothing is said of that">
            <p>
              Try another word, or start with <a href="/docs">the overview</a>.
            </p>
          </Empty>
        </div>
      )}
      <ol class="hits">
        {hits.map(({ id, page, title, excerpt }) => (
          <li>
            <a href={id}>{title}</a> {page !== title && <span class="soft">{page}</span>}
            <p>{excerpt.map(({ text, isFound }) => (isFound ? <mark>{text}</mark> : text))}</p>
          </li>
        ))}
      </ol>
    </>
  )
}

function firstSentence({ sections }: Document): string {
  const text = sections[0]?.text.replace(/\s+/g, ' ').trim() ?? ''
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}
