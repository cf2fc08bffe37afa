import type { VNode } from 'preact'
import type {
  JsonSchema,
  OpenApiDocument,
  OperationObject,
  Parameter,
} from '../openapi/document.ts'
import { Facts } from '../pages/parts.tsx'
import { curlOf, type Entry } from './curl.ts'
import { codeBlock } from './markdown.ts'

/** An OpenAPI document with its place on the site. */
export interface ReferencePage {
  path: string
  title: string
  /** Where the document itself is. */
  source: string
  isSigned: boolean
}

export const REFERENCES = [
  { path: '/docs', title: 'Public read API', source: '/openapi.json', isSigned: false },
  { path: '/docs/partner', title: 'Partner API', source: '/openapi-partner.json', isSigned: true },
] as const satisfies readonly ReferencePage[]

const REAL_PRICES: [string, VNode] = [
  'Real prices',
  <a href="/llms.txt">How an agent signs its user in</a>,
]

export function entriesOf(document: OpenApiDocument): Entry[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
}

/** Every operation of a document, under what it says of itself. */
export function Reference({
  document,
  shown,
}: {
  document: OpenApiDocument
  shown: ReferencePage
}) {
  const entries = entriesOf(document)
  const of = (tag: string) => entries.filter(({ operation }) => operation.tags.includes(tag))
  const baseUrl = document.servers[0]?.url ?? ''
  return (
    <>
      <p class="lead">{document.info.summary}</p>
      <p class="measure">
        <Prose text={document.info.description} />
      </p>
      <Facts
        facts={[
          ['Address', <code>{baseUrl}</code>],
          ['OpenAPI 3.1', <a href={shown.source}>{shown.source}</a>],
          ...(shown.isSigned ? [] : [REAL_PRICES]),
        ]}
      />
      <nav class="operations" aria-label={`Operations of the ${shown.title}`}>
        {document.tags.map(({ name }) => (
          <section>
            <p>{name}</p>
            <ul>
              {of(name).map(({ method, operation }) => (
                <li>
                  <a href={`#${operation.operationId}`}>
                    <Method name={method} />
                    {operation.summary}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      {document.tags.map(({ name, description }) => (
        <section class="operation-group">
          <h2>{name}</h2>
          <p>{description}</p>
          {of(name).map((entry) => (
            <Operation entry={entry} baseUrl={baseUrl} isSigned={shown.isSigned} />
          ))}
          {Object.values(document.webhooks ?? {})
            .filter(({ post }) => post.tags.includes(name))
            .map(({ post }) => (
              <Delivery sent={post} />
            ))}
        </section>
      ))}
    </>
  )
}

function Method({ name }: { name: string }) {
  return <span class={`method ${name}`}>{name.toUpperCase()}</span>
}

function Operation({
  entry,
  baseUrl,
  isSigned,
}: {
  entry: Entry
  baseUrl: string
  isSigned: boolean
}) {
  const { method, path, operation } = entry
  const body = operation.requestBody?.content['application/json']
  const responses = Object.entries(operation.responses)
  const success = responses.find(([status]) => Number(status) < 400)
  const answer = success?.[1].content?.['application/json']
  return (
    <article id={operation.operationId} class="operation">
      <div class="about">
        <h3>
          <a href={`#${operation.operationId}`}>{operation.summary}</a>
        </h3>
        <p class="path">
          <Method name={method} />
          <code>{path}</code>
          {operation.deprecated && <strong class="deprecated">deprecated</strong>}
        </p>
        <p>
          <Prose text={operation.description ?? ''} />
        </p>
        {operation.parameters && (
          <Fields title="Parameters" rows={operation.parameters.map(parameterRow)} />
        )}
        {body && <Fields title="Body" rows={rowsOf(body.schema)} />}
        {answer && (
          <Fields title={`Answer ${success?.[0]}`} rows={rowsOf(answer.schema).map(isThere)} />
        )}
        <Errors responses={responses} />
      </div>
      <div class="samples">
        <Sample title="Request" language="bash" code={curlOf(entry, baseUrl, isSigned)} />
        {answer?.example !== undefined && (
          <Sample
            title={`Answer ${success?.[0]}`}
            language="json"
            code={JSON.stringify(answer.example, null, 2)}
          />
        )}
      </div>
    </article>
  )
}

/** What the service sends by itself. */
function Delivery({ sent }: { sent: OperationObject }) {
  const body = sent.requestBody?.content['application/json']
  return (
    <article id={sent.operationId} class="operation">
      <div class="about">
        <h3>
          <a href={`#${sent.operationId}`}>{sent.summary}</a>
        </h3>
        <p>
          <Prose text={sent.description ?? ''} />
        </p>
        {sent.parameters && <Fields title="Headers" rows={sent.parameters.map(parameterRow)} />}
        {body && <Fields title="Body" rows={rowsOf(body.schema).map(isThere)} />}
      </div>
      <div class="samples">
        {Object.entries(body?.examples ?? {}).map(([title, { value }]) => (
          <Sample title={title} language="json" code={JSON.stringify(value, null, 2)} />
        ))}
      </div>
    </article>
  )
}

function Sample({ title, language, code }: { title: string; language: string; code: string }) {
  return (
    <figure class="sample">
      <figcaption>{title}</figcaption>
      <div dangerouslySetInnerHTML={{ __html: codeBlock(code, language) }} />
    </figure>
  )
}

interface Row {
  name: string
  type: string
  required: boolean
  description: string
}

function Fields({ title, rows }: { title: string; rows: Row[] }) {
  if (rows.length === 0) return null
  return (
    <table>
      <caption>{title}</caption>
      <tbody>
        {rows.map(({ name, type, required, description }) => (
          <tr>
            <th scope="row">
              <code>{name}</code>
              {required && <span class="required">required</span>}
            </th>
            <td>
              <span class="type">{type}</span>
              {description && <Prose text={description} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Errors({ responses }: { responses: [string, { description: string }][] }) {
  const errors = responses.filter(([status]) => Number(status) >= 400)
  return (
    <details>
      <summary>Errors ({errors.map(([status]) => status).join(', ')})</summary>
      <dl>
        {errors.map(([status, { description }]) => (
          <>
            <dt>{status}</dt>
            {description.split('\n\n').map((line) => (
              <dd>
                <Prose text={line} />
              </dd>
            ))}
          </>
        ))}
      </dl>
    </details>
  )
}

/** Text in which backquotes mark code. */
function Prose({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
}

/** In an answer every field is there, which is not worth a word. */
function isThere(row: Row): Row {
  return { ...row, required: false }
}

function parameterRow({ name, required, description = '', schema, in: place }: Parameter): Row {
  const where = place === 'header' ? ', header' : ''
  return { name, required, description, type: typeOf(schema) + where }
}

/** Of alternatives each field once, with all that it may be. */
function rowsOf(schema: JsonSchema, prefix = ''): Row[] {
  const rows = new Map<string, Row>()
  for (const row of (schema.oneOf ?? [schema]).flatMap((one) => fieldsOf(one, prefix))) {
    const { type = row.type } = rows.get(row.name) ?? {}
    rows.set(row.name, { ...row, type: type === row.type ? type : `${type} · ${row.type}` })
  }
  return [...rows.values()]
}

function fieldsOf(schema: JsonSchema, prefix: string): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, part]) => {
    const inner = part.anyOf?.find(({ type }) => type === 'object') ?? part
    const nested = inner.items ?? inner
    const row: Row = {
      name: prefix + name,
      type: typeOf(part),
      required: schema.required?.includes(name) ?? false,
      description: part.description ?? '',
    }
    return [row, ...rowsOf(nested, `${prefix}${name}${inner.items ? '[]' : ''}.`)]
  })
}

function typeOf(schema: JsonSchema): string {
  const { enum: values, anyOf, type, items, format, minimum, maximum, maxLength } = schema
  const initial = schema.default === undefined ? '' : `, default ${JSON.stringify(schema.default)}`
  if (values) return values.map((value) => JSON.stringify(value)).join(' · ') + initial
  const either = anyOf ?? schema.oneOf
  if (either) return [...new Set(either.map(typeOf))].join(' or ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const bounds = [
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined ? [] : [`to ${maximum}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
  ].join(' ')
  const name = [type].flat().join(' or ') || 'anything'
  const list = items ? ` of ${typeOf(items)}` : ''
  return `${name}${list}${format ? `, ${format}` : ''}${bounds ? `, ${bounds}` : ''}${initial}`
}
