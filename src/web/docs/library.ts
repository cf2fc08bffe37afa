import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { type Rendered, renderMarkdown } from './markdown.ts'

const ROOT = new URL('../../../', import.meta.url)

/** The address of the service in the documents and examples, as they stand in the repository. */
const WRITTEN_URL = 'http://localhost:3000'

/** The groups of documents in the order of the navigation. */
const SHELVES = [
  {
    title: 'Guides',
    files: [
      'docs/guides/start.md',
      'docs/guides/first-sale.md',
      'docs/guides/receiving-a-domain.md',
      'docs/guides/delivery-receipts.md',
      'docs/guides/selling-your-domains.md',
      'docs/guides/signing.md',
      'docs/guides/receiving-webhooks.md',
      'docs/guides/testing-retries.md',
      'docs/guides/using-the-client.md',
      'docs/guides/listening.md',
      'docs/guides/',
    ],
  },
  { title: 'Reference', files: ['docs/API.md', 'docs/GLOSSARY.md', 'docs/API-DESIGN.md'] },
  {
    title: 'Run your own',
    files: [
      'docs/guides/going-live.md',
      'docs/OPERATING.md',
      'docs/guides/connecting-a-registrar.md',
      'docs/guides/paying-partners.md',
      'docs/SCALING.md',
      'docs/SURVIVAL.md',
      'docs/ARCHITECTURE.md',
      'docs/decisions/README.md',
      'docs/decisions/',
    ],
  },
]

/** Names for the navigation, where the document's own title is too long. */
const LABELS: Record<string, string> = {
  'docs/guides/start.md': 'Get started',
  'docs/API.md': 'Rules of the API',
  'docs/API-DESIGN.md': 'Design choices',
  'docs/OPERATING.md': 'Operating',
}

/** Documents that keep an older address. */
const PATHS: Record<string, string> = { 'docs/guides/start.md': '/docs/start' }

/** A document of the repository, as a page. */
export interface Document extends Rendered {
  file: string
  path: string
  label: string
}

export interface Shelf {
  title: string
  documents: Document[]
}

/** Where a file of the repository is on the site. */
function pathOf(file: string): string {
  return PATHS[file] ?? `/${file.replace(/(?:\/README)?\.md$/, '').toLowerCase()}`
}

/**
 * All documents, rendered, with the address of this service in their snippets. A folder stands for its documents
 * that no group names.
 */
export function readLibrary(baseUrl: string): Shelf[] {
  const files = SHELVES.map(({ files: names }) => names.flatMap(filesOf))
  const known = new Set(files.flat())
  const taken = new Set<string>()
  return SHELVES.map(({ title }, index) => ({
    title,
    documents: (files[index] ?? [])
      .filter((file) => !taken.has(file) && taken.add(file))
      .map((file) => {
        const rendered = renderMarkdown(readText(file, baseUrl), resolverOf(file, known, baseUrl))
        return { file, path: pathOf(file), label: LABELS[file] ?? rendered.title, ...rendered }
      }),
  }))
}

function readText(file: string, baseUrl: string): string {
  return readFileSync(new URL(file, ROOT), 'utf8').replaceAll(WRITTEN_URL, baseUrl)
}

function filesOf(name: string): string[] {
  if (!name.endsWith('/')) return [name]
  return readdirSync(new URL(name, ROOT))
    .filter((file) => file.endsWith('.md'))
    .toSorted()
    .map((file) => name + file)
}

/** Links lead to other documents, to pages of the service, or elsewhere on the web; not into the source. */
function resolverOf(file: string, known: ReadonlySet<string>, baseUrl: string) {
  return (target: string): string | null => {
    if (target.startsWith(`${baseUrl}/`)) return target.slice(baseUrl.length)
    if (/^(?:https?:|#|\/)/.test(target)) return target
    const [path = '', anchor] = target.split('#')
    const linked = posix.join(posix.dirname(file), decodeURI(path))
    const suffix = anchor === undefined ? '' : `#${anchor}`
    if (known.has(linked)) return pathOf(linked) + suffix
    if (known.has(posix.join(linked, 'README.md')))
      return `/${posix.normalize(linked).replace(/\/$/, '')}`
    if (linked === VECTORS) return `/${VECTORS}`
    return /^examples\/[\w-]+\.\w+$/.test(linked) ? `/docs/${linked}` : null
  }
}

/** Data that the documents tell readers to check their code against. */
export const VECTORS = 'docs/signing-vectors.json'

export function readVectors(): Buffer {
  return readFileSync(new URL(VECTORS, ROOT))
}

/** The programs of `examples/` by their names, as they reach this service. */
export function readExamples(baseUrl: string): Map<string, string> {
  const names = readdirSync(new URL('examples/', ROOT)).filter((name) => /\.\w+$/.test(name))
  return new Map(names.map((name) => [name, readText(`examples/${name}`, baseUrl)]))
}
