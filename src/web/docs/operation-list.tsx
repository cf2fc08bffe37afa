import type { Area, Entry } from './areas.ts'
import { Method } from './operation.tsx'

/** Operations by their areas, each under the anchor that it had when all were on one page. */
export function OperationList({ areas, title }: { areas: Area[]; title: string }) {
  return (
    <nav class="operations" aria-label={`Operations of the ${title}`}>
      {areas.map(({ name, path, entries, deliveries }) => (
        <section>
          <p>
            <a href={path}>{name}</a>
          </p>
          <ul>
            {entries.map((entry) => (
              <OperationLink entry={entry} />
            ))}
            {deliveries.map(({ operationId, summary }) => (
              <li id={operationId}>
                <a href={`${path}#${operationId}`}>{summary}</a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}

function OperationLink({ entry: { method, address, operation } }: { entry: Entry }) {
  return (
    <li id={operation.operationId}>
      <a href={address}>
        <Method name={method} />
        {operation.summary}
      </a>
    </li>
  )
}
