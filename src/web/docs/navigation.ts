import type { Section } from '../layout/frame.tsx'
import type { Area } from './areas.ts'
import type { Document, Shelf } from './library.ts'

/** Who runs the service reads on from here: the navigation leads to it alone. */
const OPERATING = 'docs/OPERATING.md'

/** The navigation of the site, at one of its paths. */
export function sectionOf(shelves: Shelf[], areas: Area[], at: string): Section {
  const [guides, reference, running] = shelves.map(({ title, documents }) => ({
    label: title,
    links: documents.map(({ path, label }) => ({ path, label })),
  }))
  const apis = [...new Set(areas.map(({ api }) => api))]
  const isOfRunning = running?.links.some(({ path }) => path === at) ?? false
  const [operating] = running?.links ?? []
  return {
    name: 'Docs',
    at: isOfRunning ? (operating?.path ?? at) : at,
    groups: [
      ...(guides ? [guides] : []),
      {
        label: 'Reference',
        links: [
          { path: '/docs/reference', label: 'All operations' },
          { path: '/docs/errors', label: 'Errors' },
          ...(reference?.links ?? []),
        ],
      },
      ...apis.map((api) => ({
        label: api.title,
        links: areas
          .filter((area) => area.api === api)
          .map(({ path, name }) => ({ path, label: name })),
      })),
      ...(running && operating ? [{ label: running.label, links: [operating] }] : []),
    ],
  }
}

/** The documents that only another one leads to. */
export function neighboursOf(shelves: Shelf[], { file }: Document): Document[] {
  const running = shelves.find(({ documents }) => documents.some((one) => one.file === OPERATING))
  return file === OPERATING ? (running?.documents.slice(1) ?? []) : []
}
