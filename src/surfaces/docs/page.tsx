import type { ComponentChildren } from 'preact'
import type { JsonSchema, OpenApiDocument, Parameter } from '../openapi/document.ts'
import { curlOf, type Entry } from './curl.ts'

export const DOCUMENTS = [
  { path: '/docs', title: 'Public read API', source: '/openapi.json', isSigned: false },
  { path: '/docs/partner', title: 'Partner API', source: '/openapi-partner.json', isSigned: true },
] as const
export type DocumentEntry = (typeof DOCUMENTS)[number]

/** A whole document as one page that needs no script. */
export function Page({ document, shown }: { document: OpenApiDocument; shown: DocumentEntry }) {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => ({ method, path, operation })),
  )
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{document.info.title}</title>
        <link rel="stylesheet" href="/docs/style.css" />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the operations
        </a>
        <nav aria-label="Operations">
          <p class="brand">Domain Marketplace</p>
          <p class="switch">
            {DOCUMENTS.map(({ path, title }) => (
              <a href={path} aria-current={path === shown.path ? 'page' : undefined}>
                {title}
              </a>
            ))}
          </p>
          {document.tags.map(({ name }) => (
            <section>
              <h2>{name}</h2>
              <ul>
                {entries
                  .filter(({ operation }) => operation.tags.includes(name))
                  .map(({ method, operation }) => (
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
        <main id="content">
          <header>
            <h1>{document.info.title}</h1>
            <p class="lead">{document.info.summary}</p>
            <p>
              <Prose text={document.info.description} />
            </p>
            <dl class="facts">
              <dt>Address</dt>
              <dd>
                <code>{document.servers[0]?.url}</code>
              </dd>
              <dt>OpenAPI 3.1</dt>
              <dd>
                <a href={shown.source}>{shown.source}</a>
              </dd>
            </dl>
          </header>
          {document.tags.map(({ name, description }) => (
            <section class="tag">
              <h2>{name}</h2>
              <p>{description}</p>
              {entries
                .filter(({ operation }) => operation.tags.includes(name))
                .map((entry) => (
                  <Operation
                    entry={entry}
                    baseUrl={document.servers[0]?.url ?? ''}
                    isSigned={shown.isSigned}
                  />
                ))}
            </section>
          ))}
        </main>
      </body>
    </html>
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
    <article id={operation.operationId}>
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
        <Sample title="Request">{curlOf(entry, baseUrl, isSigned)}</Sample>
        {answer?.example !== undefined && (
          <Sample title={`Answer ${success?.[0]}`}>
            {JSON.stringify(answer.example, null, 2)}
          </Sample>
        )}
      </div>
    </article>
  )
}

function Sample({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <pre tabIndex={0}>
        <code>{children}</code>
      </pre>
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

function rowsOf(schema: JsonSchema, prefix = ''): Row[] {
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
  if (anyOf) return anyOf.map(typeOf).join(' or ')
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
