import { READERS } from '../../core/roles.ts'
import { searchAll } from '../../http/admin/search.ts'
import { stateText } from '../components/humanize.ts'
import { addressOf, Table } from '../components/list.tsx'
import { RowText } from '../components/name.tsx'
import { Badge, Empty, Heading, Id, Status } from '../components/parts.tsx'
import type { ConsoleContext, ConsolePage } from './page.ts'

const PATH = '/operator/search'

type Found = Awaited<ReturnType<typeof searchAll.handler>>['results'][number]

/** Whatever an operator was told the id, the domain, the name or the address of. */
export const search: ConsolePage = {
  path: PATH,
  title: 'Search',
  roles: READERS,
  async render(page) {
    const q = page.query.q ?? ''
    const { results } = q === '' ? { results: [] } : await page.read(searchAll, { q })
    return {
      title: q === '' ? 'Search' : `Search for ${q}`,
      body: (
        <>
          <Heading title="Search" />
          <Table
            isMain
            caption="What was found"
            columns={[
              { label: 'What', cell: ({ kind }) => stateText(kind) },
              {
                label: 'Name',
                cell: (found) => (
                  <a href={pathOf(found)}>
                    <RowText text={found.label} />
                  </a>
                ),
              },
              {
                label: 'ID',
                cell: ({ kind, id }) => (kind === 'listing' ? '–' : <Id id={id} />),
              },
              {
                label: 'Status',
                cell: ({ status }) => (status === null ? '–' : <Status text={status} />),
              },
              {
                label: 'Environment',
                cell: ({ environment }) =>
                  environment === null ? (
                    'both'
                  ) : (
                    <Badge tone={environment === 'sandbox' ? 'warn' : 'plain'} text={environment} />
                  ),
              },
            ]}
            rows={results}
            empty={
              <Empty title={q === '' ? 'What are you looking for?' : 'Nothing found'}>
                Enter a whole ID or domain, a part of a partner’s name, or the beginning of an
                e-mail address.
              </Empty>
            }
          />
        </>
      ),
    }
  },
}

/** The search, on every page of the console. */
export function SearchBox({ page }: { page: ConsoleContext }) {
  return (
    <form class="find" action={PATH} role="search" aria-label="Search the console">
      <input
        type="search"
        name="q"
        value={page.request.url.startsWith(PATH) ? page.query.q : undefined}
        maxlength={254}
        required
        aria-label="Search"
        placeholder="Order, domain, partner, account, quote, case, payout …"
      />
      <button type="submit" class="quiet">
        Search
      </button>
    </form>
  )
}

/** The page of a result, or the list that has it. */
function pathOf({ kind, id, label, environment, partner_id }: Found): string {
  const of = environment === 'sandbox' ? { environment } : {}
  const list = (path: string, query: Record<string, string | undefined>) =>
    addressOf(`/operator/${path}`, { ...of, ...query })
  switch (kind) {
    case 'order':
      return list(`orders/${id}`, {})
    case 'case':
      return list(`cases/${id}`, {})
    case 'offer':
      return list(`offers/${id}`, {})
    case 'settlement':
      return list(`settlements/${id}`, {})
    case 'partner':
      return `/operator/partners/${id}`
    case 'user':
      return `/operator/users/${id}`
    case 'payout':
      return list('payouts', { partner_id: partner_id ?? undefined })
    case 'payment':
      return list('payments', { view: 'all', public_id: label === id ? undefined : label })
    default:
      return list('listings', { q: label })
  }
}
