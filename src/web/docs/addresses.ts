import type { Area } from './areas.ts'

/** Pages that were elsewhere below `/docs/` before; what their anchors named is under the same anchor of the new page. */
export const MOVED: ReadonlyMap<string, string> = new Map([
  ['partner', '/docs/reference'],
  ['spec/service', '/docs/api'],
  ['spec/contract', '/docs/api'],
])

/**
 * Where the reference shows an operation, by its name (`create_order`) or by its method and path
 * (`POST/api/partner/v1/orders`), whose places may be filled in.
 */
export function addressOf(areas: Area[], asked: string): string | undefined {
  const entries = areas.flatMap((area) => area.entries)
  const named = entries.find(({ operation }) => operation.operationId === asked)
  const [fitting] = entries
    .filter(({ method, path }) => fits(method.toUpperCase() + path, asked))
    .toSorted((a, b) => placesIn(a.path) - placesIn(b.path))
  return (named ?? fitting)?.address
}

/** Whether each part is the same, or in the place of a parameter. */
function fits(template: string, asked: string): boolean {
  const [own, parts] = [template.split('/'), asked.split('/')]
  return (
    own.length === parts.length &&
    own.every((part, at) => part === parts[at] || (part.startsWith('{') && parts[at] !== ''))
  )
}

function placesIn(path: string): number {
  return path.split('{').length
}
