import { Empty } from '../components/parts.tsx'
import type { Area } from './areas.ts'
import { CodeTabs } from './code-tabs.tsx'
import type { Document } from './library.ts'
import { OperationList } from './operation-list.tsx'
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
          placeholder="Operations, fields, errors, guides"
        />
      </label>
      <button type="submit" class="quiet">
        Search
      </button>
    </form>
  )
}

/** A document, with the way to its parts; what the site adds to it stands at its end. */
export function DocumentPage({
  document,
  more,
  examples,
}: {
  document: Document
  more: Document[]
  examples: ReadonlyMap<string, string>
}) {
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
          {document.file === SIGNING && <Helpers examples={examples} />}
        </article>
      </div>
    </>
  )
}
const SIGNING = 'docs/guides/signing.md'

const HELPERS = [
  { value: 'curl', label: 'curl', file: 'market.sh', highlight: 'bash' },
  { value: 'typescript', label: 'TypeScript', file: 'market.mjs', highlight: 'javascript' },
  { value: 'python', label: 'Python', file: 'market.py', highlight: 'python' },
  { value: 'php', label: 'PHP', file: 'market.php', highlight: 'php' },
]

/** The files that the samples of the reference build on, in full. */
function Helpers({ examples }: { examples: ReadonlyMap<string, string> }) {
  const tabs = HELPERS.map(({ file, ...tab }) => ({ ...tab, code: examples.get(file) ?? '' }))
  return <CodeTabs name="helpers" legend="Language of the helper" tabs={tabs} />
}

const ENTRY_POINTS = [
  {
    path: '/docs/start',
    title: 'Get started',
    text: 'Get a sandbox credential and send your first signed request in five minutes.',
  },
  {
    path: '/docs/guides/first-sale',
    title: 'Your first sale',
    text: 'Find a name, take a quote, record the sale, deliver it and settle.',
  },
  {
    path: '/docs/guides/receiving-webhooks',
    title: 'Webhooks',
    text: 'Signed events about your orders and brokerage cases, with retries and replays.',
  },
  {
    path: '/docs/reference',
    title: 'API reference',
    text: 'Every operation, field and error, with samples in four languages.',
  },
  {
    path: '/docs/guides/reading-the-market',
    title: 'Read the market',
    text: 'Availability, WHOIS, prices and listings for anyone, without an account.',
  },
  {
    path: '/docs/guides/signing-in-an-agent',
    title: 'Agents',
    text: 'MCP, and OAuth to let an agent sign its user in and see real prices.',
  },
]

/** The start page. It lists the public operations too, under anchors that older links use. */
export function Overview({ areas }: { areas: Area[] }) {
  return (
    <>
      <h1>Documentation</h1>
      <p class="lead">
        Sell this market’s domains from your own product, or read the market from anywhere.
      </p>
      <DocSearch />
      <div class="doors">
        {ENTRY_POINTS.map(({ path, title, text }) => (
          <a href={path}>
            <strong>{title}</strong>
            <span>{text}</span>
          </a>
        ))}
      </div>
      <p>
        Your credentials, requests, webhooks and payouts are in the{' '}
        <a href="/partner">partner portal</a>.
      </p>
      <h2>Public API</h2>
      <p>Reads need no account and no key.</p>
      <OperationList areas={areas.filter(({ api }) => !api.isSigned)} title="Public API" />
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
          <Empty title="Nothing found">
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
