import { CONFLICT_REASONS } from '../../core/conflict-reasons.ts'
import { ERROR_HELP, type ErrorCode } from '../../core/errors.ts'
import { type Area, type Entry, errorsOf } from './areas.ts'
import { DocSearch } from './pages.tsx'
import { Prose } from './prose.tsx'

interface ErrorInfo {
  code: string
  status: string
  cause: string
  /** Those that return it, unless every operation does. */
  operations: Entry[]
}

/** Each error code once, by status, with the operations that it belongs to. */
export function errorList(areas: Area[]): ErrorInfo[] {
  const errors = new Map<string, ErrorInfo>()
  for (const entry of areas.flatMap(({ entries }) => entries)) {
    for (const { code, status, cause } of errorsOf(entry.operation)) {
      const error = errors.get(code) ?? { code, status, cause, operations: [] }
      errors.set(code, error)
      if (!entry.api.commonErrors.has(code)) error.operations.push(entry)
    }
  }
  return [...errors.values()].toSorted((a, b) => Number(a.status) - Number(b.status))
}

export function ErrorsPage({ areas }: { areas: Area[] }) {
  return (
    <>
      <DocSearch />
      <h1>Errors</h1>
      <p class="lead">
        Every error has the same form: a <code>code</code> for your program, a <code>message</code>{' '}
        for people, and a <code>request_id</code> to quote when you contact us.
      </p>
      <table class="errors">
        <thead>
          <tr>
            <th scope="col">Code</th>
            <th scope="col">Status</th>
            <th scope="col">Cause, and what to do</th>
          </tr>
        </thead>
        <tbody>
          {errorList(areas).map(({ code, status, cause, operations }) => (
            <tr id={code}>
              <th scope="row">
                <code>{code}</code>
              </th>
              <td>{status}</td>
              <td>
                <Prose text={cause} />
                <Prose text={ERROR_HELP[code as ErrorCode].fix} />
                {operations.length > 0 && (
                  <details>
                    <summary>Operations ({operations.length})</summary>
                    <ul>
                      {operations.map(({ address, operation }) => (
                        <li>
                          <a href={address}>{operation.summary}</a>
                        </li>
                      ))}
                    </ul>
                  </details>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2 id="reasons">Reasons of a conflict</h2>
      <p>
        A <code>conflict</code> says in <code>details.reason</code> which it is, and with{' '}
        <code>not_allowed_now</code> the state in <code>details.status</code>.
      </p>
      <table class="errors">
        <thead>
          <tr>
            <th scope="col">Reason</th>
            <th scope="col">Cause, and what to do</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(CONFLICT_REASONS).map(([reason, help]) => (
            <tr id={reason}>
              <th scope="row">
                <code>{reason}</code>
              </th>
              <td>
                <Prose text={help} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
