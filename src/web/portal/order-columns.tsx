import { stateText, toneOf } from '../components/humanize.ts'
import type { Column } from '../components/list.tsx'
import { RowName } from '../components/name.tsx'
import { Badge } from '../components/parts.tsx'

interface OrderRow {
  public_id: string
  domain: string
  status: string
  held: boolean
}

/** What every table of orders begins with: the domain, which leads to its order, and how the order stands. */
export function orderColumns(base: string): Column<OrderRow>[] {
  return [
    {
      label: 'Domain',
      cell: ({ public_id, domain }) => (
        <a href={`${base}/orders/${public_id}`}>
          <RowName domain={domain} />
        </a>
      ),
    },
    {
      label: 'Status',
      cell: ({ status, held }) => (
        <>
          <Badge tone={toneOf(status)} text={stateText(status)} />{' '}
          {held && <Badge tone="warn" text="held" />}
        </>
      ),
    },
  ]
}
