import { Facts } from '../components/parts.tsx'
import type { Api, Area } from './areas.ts'
import { Delivery, Method, Operation } from './operation.tsx'
import { OperationList } from './operation-list.tsx'
import { DocSearch } from './pages.tsx'
import { Paragraphs } from './prose.tsx'

/** Every area with its operations. Each stands under the anchor that it had when all were on one page. */
export function ReferenceIndex({ areas }: { areas: Area[] }) {
  const apis = [...new Set(areas.map(({ api }) => api))]
  return (
    <>
      <DocSearch />
      <h1>API reference</h1>
      <p class="lead">
        Every operation with its fields, errors and samples in curl, TypeScript, Python and PHP.
      </p>
      {apis.map((api) => (
        <section>
          <h2>{api.title}</h2>
          <ApiFacts api={api} />
          <OperationList areas={areas.filter((area) => area.api === api)} title={api.title} />
        </section>
      ))}
    </>
  )
}

/** The operations of one area, one after another. */
export function AreaPage({ area }: { area: Area }) {
  return (
    <>
      <DocSearch />
      <h1>{area.name}</h1>
      <p class="lead">{area.description}</p>
      {area.api.isSigned ? (
        <p class="measure">
          The samples use a helper that you set up once: see{' '}
          <a href="/docs/guides/signing">Signing requests</a>.
        </p>
      ) : null}
      <nav class="operations" aria-label={`Operations of ${area.name}`}>
        <ul>
          {area.entries.map(({ method, path, operation: { operationId, summary } }) => (
            <li>
              <a href={`#${operationId}`}>
                <Method name={method} />
                <span>
                  {summary} <code>{path}</code>
                </span>
              </a>
            </li>
          ))}
          {area.deliveries.map(({ operationId, summary }) => (
            <li>
              <a href={`#${operationId}`}>
                <Method name="post" />
                {summary}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {area.entries.map((entry) => (
        <Operation entry={entry} />
      ))}
      {area.deliveries.map((sent) => (
        <Delivery sent={sent} />
      ))}
    </>
  )
}

function ApiFacts({ api }: { api: Api }) {
  return (
    <>
      <div class="measure">
        <Paragraphs text={api.description} />
      </div>
      <Facts
        facts={[
          ['Address', <code>{api.baseUrl}</code>],
          ['OpenAPI 3.1', <a href={api.source}>{api.source}</a>],
          api.isSigned
            ? ['Authentication', <a href="/docs/guides/signing">Signed requests</a>]
            : ['Authentication', <a href="/docs/guides/signing-in-an-agent">None, or OAuth 2.1</a>],
        ]}
      />
    </>
  )
}
