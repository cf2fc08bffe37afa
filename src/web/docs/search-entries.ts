import type { Area, Entry as Operation } from './areas.ts'
import { errorList } from './errors-page.tsx'
import { anchorOf, type Field, fieldsOf, parameterField, responseFields } from './fields.tsx'
import type { Shelf } from './library.ts'
import type { Entry } from './search.ts'

/** What of a kind comes first where words fit as well: one looks for an operation more often than for a field. */
const WEIGHTS = { operation: 3, section: 1.5, error: 2, field: 0.5 }

/** Everything that a search can lead to: sections of documents, operations, their fields, and errors. */
export function searchEntries(shelves: Shelf[], areas: Area[]): Entry[] {
  const entries = [
    ...areas.flatMap((area) => area.entries.flatMap((entry) => operationEntries(area, entry))),
    ...areas.flatMap(deliveryEntries),
    ...errorEntries(areas),
    ...sectionEntries(shelves),
  ]
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()]
}

function operationEntries(
  { name: page }: Area,
  { address, method, path, operation }: Operation,
): Entry[] {
  const {
    operationId,
    summary,
    description = '',
    parameters = [],
    requestBody,
    responses,
  } = operation
  const called = `${method.toUpperCase()} ${path}`
  const body = requestBody?.content['application/json']
  const success = Object.entries(responses).find(([status]) => Number(status) < 400)?.[1]
  const returned = success?.content?.['application/json']
  const toEntry = (at: string) => (field: Field) => ({
    id: `${address.split('#')[0]}#${anchorOf(at, field.name)}`,
    page: `${summary} (${called})`,
    title: field.name,
    text: `${field.description} ${field.type}`,
    weight: WEIGHTS.field,
  })
  return [
    {
      id: address,
      page,
      title: summary,
      text: `${called} ${operationId}\n${description}`,
      weight: WEIGHTS.operation,
    },
    ...[...parameters.map(parameterField), ...(body ? fieldsOf(body.schema) : [])].map(
      toEntry(operationId),
    ),
    ...(returned ? responseFields(returned.schema) : []).map(toEntry(`${operationId}.response`)),
  ]
}

function deliveryEntries({ name: page, path, deliveries }: Area): Entry[] {
  return deliveries.map(({ operationId, summary, description = '', requestBody }) => {
    const body = requestBody?.content['application/json']
    const fields = body ? responseFields(body.schema) : []
    return {
      id: `${path}#${operationId}`,
      page,
      title: summary,
      text: [description, ...fields.map((field) => `${field.name} ${field.type}`)].join('\n'),
      weight: WEIGHTS.operation,
    }
  })
}

/** Each code once, with the operations that it is an error of. */
function errorEntries(areas: Area[]): Entry[] {
  return errorList(areas).map(({ code, status, cause, operations }) => ({
    id: `/docs/errors#${code}`,
    page: 'Errors',
    title: code,
    text: `${status} ${cause} ${operations.map(({ operation }) => operation.summary).join(', ')}`,
    weight: WEIGHTS.error,
  }))
}

function sectionEntries(shelves: Shelf[]): Entry[] {
  return shelves
    .flatMap(({ documents }) => documents)
    .flatMap(({ path, label, sections }) =>
      sections.map(({ id, title, text }) => ({
        id: `${path}#${id}`,
        page: label,
        title,
        text,
        weight: WEIGHTS.section,
      })),
    )
}
