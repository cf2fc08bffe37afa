import GithubSlugger from 'github-slugger'
import type { OpenApiDocument, OperationObject } from '../../http/openapi/document.ts'
import { dereferenced } from './dereference.ts'

/** The OpenAPI documents that the reference is made of, by where they are served. */
export type Sources = Record<string, OpenApiDocument>

/** What a reader needs to know about the API that an operation belongs to. */
export interface Api {
  title: string
  /** Where its OpenAPI document is. */
  source: string
  baseUrl: string
  /** Whether its requests are signed. */
  isSigned: boolean
  description: string
  /** The errors that every operation may return, which no operation needs to repeat. */
  commonErrors: ReadonlySet<string>
}

/** An operation of a document, with where it is served and shown. */
export interface Entry {
  api: Api
  method: string
  path: string
  operation: OperationObject
  /** The page of the reference with its anchor. */
  address: string
}

/** One page of the reference: the operations of one tag, and what is sent to the partner about them. */
export interface Area {
  api: Api
  slug: string
  path: string
  name: string
  description: string
  entries: Entry[]
  deliveries: OperationObject[]
}

/** The pages of the reference, those of signed operations first. */
export function areasOf(sources: Sources): Area[] {
  const slugger = new GithubSlugger()
  return Object.entries(sources)
    .map(([source, document]) => ({ source, document: dereferenced(document) }))
    .toSorted((a, b) => Number(isSigned(b.document)) - Number(isSigned(a.document)))
    .flatMap(({ source, document }) => areasOfDocument(source, document, slugger))
}

function areasOfDocument(
  source: string,
  document: OpenApiDocument,
  slugger: GithubSlugger,
): Area[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const api: Api = {
    title: isSigned(document) ? 'Partner API' : 'Public API',
    source,
    baseUrl: document.servers[0]?.url ?? '',
    isSigned: isSigned(document),
    description: document.info.description,
    commonErrors: commonErrorsOf(operations.map(({ operation }) => operation)),
  }
  return document.tags.map(({ name, description }) => {
    const slug = slugger.slug(name)
    const path = `/docs/reference/${slug}`
    return {
      api,
      slug,
      path,
      name,
      description,
      entries: operations
        .filter(({ operation }) => operation.tags.includes(name))
        .map((entry) => ({ ...entry, api, address: `${path}#${entry.operation.operationId}` })),
      deliveries: Object.values(document.webhooks ?? {})
        .map(({ post }) => post)
        .filter(({ tags }) => tags.includes(name)),
    }
  })
}

function isSigned({ components }: OpenApiDocument): boolean {
  return 'signature' in (components.securitySchemes ?? {})
}

/** An error that a response may hold, with when it is returned. */
export interface ErrorCase {
  status: string
  code: string
  cause: string
}

/** The errors of an operation: their codes are the names of the examples, their causes the description's lines. */
export function errorsOf({ responses }: OperationObject): ErrorCase[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { description, content }]) => {
      const causes = new Map(
        description
          .split(/\n+/)
          .map((line) => /^[-* ]*`(\w+)`:\s*(.*)$/.exec(line))
          .flatMap((match) => (match ? [[match[1] ?? '', match[2] ?? ''] as const] : [])),
      )
      const codes = Object.keys(content?.['application/json']?.examples ?? {})
      return codes.map((code) => ({ status, code, cause: causes.get(code) ?? description }))
    })
}

function commonErrorsOf(operations: OperationObject[]): ReadonlySet<string> {
  const [first = [], ...others] = operations.map((operation) =>
    errorsOf(operation).map(({ code }) => code),
  )
  return new Set(first.filter((code) => others.every((codes) => codes.includes(code))))
}
