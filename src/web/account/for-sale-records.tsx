import type { OwnedDomainRow } from '../../domain/domains/list-owned-domains.ts'
import { forSaleName, forSaleRecords } from '../../lib/for-sale.ts'
import { type Column, Table } from '../components/list.tsx'
import { RowName } from '../components/name.tsx'

/** The records that say in DNS that domains are for sale, for whoever runs the name servers of theirs. */
export function ForSaleRecords({ rows, baseUrl }: { rows: OwnedDomainRow[]; baseUrl: string }) {
  if (rows.length === 0) return null
  const published = rows.filter((row) => row.is_published)
  const others = rows.filter((row) => !row.is_published)
  const columns: Column<OwnedDomainRow>[] = [
    { label: 'Domain', cell: ({ domain }) => <RowName domain={domain} /> },
    {
      label: 'TXT records',
      cell: ({ domain, price_cents, currency }) => (
        <span>
          <code>{forSaleName(domain)}</code>
          {forSaleRecords(`${baseUrl}/d/${domain}`, price_cents ?? 0, currency ?? 'USD').map(
            (record) => (
              <>
                <br />
                <code>{record}</code>
              </>
            ),
          )}
        </span>
      ),
    },
  ]
  return (
    <details>
      <summary>Say in DNS that your domains are for sale</summary>
      <p>
        Registrars and brokers look for these records (RFC 10023). Set them where the DNS of the
        domain is managed, each as a TXT record of its own. Leave out the one with the price if you
        do not want to publish it. Remove them when the domain is sold.
      </p>
      {published.length > 0 && (
        <p>
          The marketplace has published the one with the address at the registrar for{' '}
          {published.map(({ domain }) => domain).join(', ')}, and removes it.
        </p>
      )}
      {others.length > 0 && (
        <Table
          caption="Records of your domains for sale"
          columns={columns}
          rows={others}
          empty=""
        />
      )}
    </details>
  )
}
