import type { OpenApiDocument } from '../../http/openapi/document.ts'

const MAX_DEPTH = 12

/**
 * A document in which what it refers to stands in place, so that whoever shows it need not look it up. A
 * schema keeps the name of its component as its `title`; what contains itself ends at the second time.
 */
export function dereferenced(document: OpenApiDocument): OpenApiDocument {
  const { components, ...rest } = document
  return { ...(resolved(rest, []) as Omit<OpenApiDocument, 'components'>), components }

  function resolved(value: unknown, within: readonly string[]): unknown {
    if (Array.isArray(value)) return value.map((one) => resolved(one, within))
    if (typeof value !== 'object' || value === null) return value
    if ('$ref' in value && typeof value.$ref === 'string') {
      const { $ref, ...more } = value
      const title = $ref.split('/').at(-1)
      if (within.includes($ref) || within.length > MAX_DEPTH) return { type: 'object', title }
      const target = targetOf($ref)
      const isSchema = $ref.startsWith('#/components/schemas/')
      return {
        ...(isSchema && { title }),
        ...(resolved(target, [...within, $ref]) as object),
        ...more,
      }
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [
        key,
        // What an example holds is data, whatever its keys are.
        key === 'example' || key === 'examples' ? part : resolved(part, within),
      ]),
    )
  }

  function targetOf(ref: string): unknown {
    const [group = '', name = ''] = ref.replace('#/components/', '').split('/')
    const target = components[group]?.[name]
    if (target === undefined) throw new Error(`${ref} is in no component of the document`)
    return target
  }
}
