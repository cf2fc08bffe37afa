import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { type Rendered, renderMarkdown } from './markdown.ts'

const ROOT = new URL('../../../', import.meta.url)

/** The shelves of the library in the order of the navigation, each with the files that stand on it. */
const SHELVES = [
  {
    title: 'Start',
    files: [
      'README.md',
      'docs/guides/first-sale.md',
      'docs/guides/receiving-webhooks.md',
      'docs/guides/testing-retries.md',
      'docs/guides/using-the-client.md',
      'docs/guides/listening.md',
      'docs/guides/',
    ],
  },
  {
    title: 'Reference',
    files: [
      'docs/API-DESIGN.md',
      'docs/GLOSSARY.md',
      'docs/spec/service.md',
      'docs/spec/contract.md',
    ],
  },
  { title: 'Running it', files: ['docs/OPERATING.md', 'docs/ARCHITECTURE.md', 'docs/'] },
  { title: 'Decisions', files: ['docs/decisions/README.md', 'docs/decisions/'] },
]

/** Names for the navigation, where the document's own title is longer than it has room for. */
const LABELS: Record<string, string> = {
  'README.md': 'First request',
  'docs/spec/service.md': 'Specification',
  'docs/spec/contract.md': 'Contract',
  'docs/OPERATING.md': 'Operating',
}

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
  if (file === 'README.md') return '/docs/start'
  return `/${file.replace(/(?:\/README)?\.md$/, '').toLowerCase()}`
}

/** All documents, rendered; a folder stands for what is in it and on no shelf yet. */
export function readLibrary(): Shelf[] {
  const files = SHELVES.map(({ files: names }) => names.flatMap(filesOf))
  const known = new Set(files.flat())
  const taken = new Set<string>()
  return SHELVES.map(({ title }, index) => ({
    title,
    documents: (files[index] ?? [])
      .filter((file) => !taken.has(file) && taken.add(file))
      .map((file) => {
        const text = readFileSync(new URL(file, ROOT), 'utf8')
        const rendered = renderMarkdown(text, resolverOf(file, known))
        return { file, path: pathOf(file), label: LABELS[file] ?? rendered.title, ...rendered }
      }),
  }))
}

function filesOf(name: string): string[] {
  if (!name.endsWith('/')) return [name]
  return readdirSync(new URL(name, ROOT))
    .filter((file) => file.endsWith('.md'))
    .toSorted()
    .map((file) => name + file)
}

/** Links lead to other documents, to pages of the service, or elsewhere on the web; not into the source. */
function resolverOf(file: string, known: ReadonlySet<string>) {
  return (target: string): string | null => {
    if (/^(?:https?:|#|\/)/.test(target)) return target
    const [path = '', anchor] = target.split('#')
    const linked = posix.join(posix.dirname(file), decodeURI(path))
    const suffix = anchor === undefined ? '' : `#${anchor}`
    if (known.has(linked)) return pathOf(linked) + suffix
    if (known.has(posix.join(linked, 'README.md')))
      return `/${posix.normalize(linked).replace(/\/$/, '')}`
    return linked === VECTORS ? `/${VECTORS}` : null
  }
}

/** Data that the documents tell readers to check their code against. */
export const VECTORS = 'docs/signing-vectors.json'

export function readVectors(): Buffer {
  return readFileSync(new URL(VECTORS, ROOT))
}
