import type { OperationObject } from '../../http/openapi/document.ts'
import { type Entry, type ErrorCase, errorsOf } from './areas.ts'
import { CodeTabs, Sample } from './code-tabs.tsx'
import { Fields, fieldsOf, parameterField, responseFields } from './fields.tsx'
import { Paragraphs, Prose } from './prose.tsx'
import { samplesOf } from './samples.ts'

export function Method({ name }: { name: string }) {
  return <span class={`method ${name}`}>{name.toUpperCase()}</span>
}

/** One operation: what it takes, returns and rejects, beside how it is called. */
export function Operation({ entry }: { entry: Entry }) {
  const { method, path, operation, api } = entry
  const { operationId: id, summary } = operation
  const body = operation.requestBody?.content['application/json']
  const successes = Object.entries(operation.responses).filter(([status]) => Number(status) < 400)
  return (
    <article id={id} class="operation">
      <div class="about">
        <h2>
          <a href={`#${id}`}>{summary}</a>
        </h2>
        <p class="path">
          <Method name={method} />
          <code>{path}</code>
          {operation.deprecated && <strong class="deprecated">deprecated</strong>}
        </p>
        <Paragraphs text={operation.description ?? ''} />
        {operation.parameters && (
          <Fields title="Parameters" at={id} fields={operation.parameters.map(parameterField)} />
        )}
        {body && <Fields title="Body" at={id} fields={fieldsOf(body.schema)} />}
        {successes.map(([status, { content }]) => {
          const json = content?.['application/json']
          return (
            json && (
              <Fields
                title={`Response ${status}`}
                at={`${id}.response`}
                fields={responseFields(json.schema)}
              />
            )
          )
        })}
        <Errors errors={errorsOf(operation)} common={api.commonErrors} />
      </div>
      <div class="samples">
        <CodeTabs
          name={id}
          legend={`Language of the sample for “${summary}”`}
          tabs={samplesOf(entry).map(({ language, ...tab }) => ({ value: language, ...tab }))}
        />
        {successes.map(([status, { content }]) => {
          const example = content?.['application/json']?.example
          return (
            example !== undefined && (
              <Sample
                title={`Response ${status}`}
                language="json"
                code={JSON.stringify(example, null, 2)}
              />
            )
          )
        })}
        <ErrorSamples operation={operation} common={api.commonErrors} />
      </div>
    </article>
  )
}

function Errors({ errors, common }: { errors: ErrorCase[]; common: ReadonlySet<string> }) {
  const own = errors.filter(({ code }) => !common.has(code))
  const others = errors.filter(({ code }) => common.has(code))
  return (
    <>
      <ErrorTable title="Errors of its own" errors={own} />
      <details>
        <summary>Errors of every request ({others.length})</summary>
        <ErrorTable title="Errors of every request" errors={others} />
      </details>
    </>
  )
}

function ErrorTable({ title, errors }: { title: string; errors: ErrorCase[] }) {
  if (errors.length === 0) return null
  return (
    <table>
      <caption>{title}</caption>
      <tbody>
        {errors.map(({ status, code, cause }) => (
          <tr>
            <th scope="row">
              <code>{code}</code>
            </th>
            <td>
              <span class="type">{status}</span>
              <Prose text={cause} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** One error response a status, of those that are the operation's own. */
function ErrorSamples({
  operation,
  common,
}: {
  operation: OperationObject
  common: ReadonlySet<string>
}) {
  const errors = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400)
  return (
    <>
      {errors.map(([status, { content }]) => {
        const examples = Object.entries(content?.['application/json']?.examples ?? {})
        const [code, example] = examples.find(([name]) => !common.has(name)) ?? []
        return (
          example && (
            <details class="sample">
              <summary>
                Response {status} <code>{code}</code>
              </summary>
              <Sample
                title={`${status} ${code}`}
                language="json"
                code={JSON.stringify(example.value, null, 2)}
              />
            </details>
          )
        )
      })}
    </>
  )
}

/** What the service sends to the partner's own endpoint. */
export function Delivery({ sent }: { sent: OperationObject }) {
  const { operationId: id } = sent
  const body = sent.requestBody?.content['application/json']
  const examples = Object.entries(body?.examples ?? {})
  return (
    <article id={id} class="operation">
      <div class="about">
        <h2>
          <a href={`#${id}`}>{sent.summary}</a>
        </h2>
        <Paragraphs text={sent.description ?? ''} />
        {sent.parameters && (
          <Fields title="Headers" at={id} fields={sent.parameters.map(parameterField)} />
        )}
        {body && <Fields title="Body" at={id} fields={responseFields(body.schema)} />}
      </div>
      <div class="samples">
        {examples.map(([title, { value }], index) => (
          <details class="sample" open={index === 0} id={`${id}.${title}`}>
            <summary>
              <code>{title}</code>
            </summary>
            <Sample title={title} language="json" code={JSON.stringify(value, null, 2)} />
          </details>
        ))}
      </div>
    </article>
  )
}
