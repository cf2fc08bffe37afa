import type { ComponentChildren } from 'preact'
import {
  PRICE_OPS,
  type PriceOp,
  type RegistrationPrice,
} from '../../domain/registry/price-book.ts'
import { requirementsOf } from '../../domain/registry/requirements.ts'
import type { Tld } from '../../domain/registry/tlds.ts'
import type { WhoisResponse } from '../../domain/registry/whois-lookup.ts'
import { nameOfCountry } from '../../lib/countries.ts'
import { money } from '../components/money.ts'
import { OwnersOffer } from '../components/owners-offer.tsx'
import { Day, Facts, Timestamp } from '../components/parts.tsx'

const SOURCES = { simulated: 'Simulated registry', rdap: 'RDAP', whois: 'WHOIS' } as const
const MAX_COUNTRIES = 6
/** Where the words of a status such as `clientTransferProhibited` meet: lines may end there. */
const HUMP = /(?<=[a-z])(?=[A-Z])/

type Fact = [name: string, value: ComponentChildren]

/** What its registry says of a name. */
export function WhoisFacts({ response }: { response: WhoisResponse }) {
  const { registered, registrar, registrant } = response
  const asked: Fact = [
    'Asked',
    <>
      {SOURCES[response.source]}, <Timestamp at={new Date(response.checked_at)} />
    </>,
  ]
  if (registered !== true) {
    const text = registered === false ? 'Nobody has registered it' : 'Its registry did not say'
    return <Facts facts={[['Registered', text], asked]} />
  }
  const country = registrant?.country ? nameOfCountry(registrant.country) : null
  const holder = [registrant?.organization, country].filter(Boolean).join(', ')
  const offer: Fact[] = response.for_sale
    ? [['For sale', <OwnersOffer offer={response.for_sale} />]]
    : []
  return (
    <Facts
      facts={[
        ...offer,
        ['Registrar', registrar?.name ?? '–'],
        ['Holder', holder || (registrant?.redacted ? 'withheld' : '–')],
        ['Registered', <DayOf text={response.created_at} />],
        ['Updated', <DayOf text={response.updated_at} />],
        ['Expires', <DayOf text={response.expires_at} />],
        ['Name servers', <Lines items={response.nameservers} />],
        ['Status', <Lines items={response.status} />],
        [
          'DNSSEC',
          response.dnssec === null ? 'not said' : response.dnssec ? 'signed' : 'not signed',
        ],
        asked,
      ]}
    />
  )
}

function DayOf({ text }: { text: string | null }) {
  return <Day at={text === null ? null : new Date(text)} />
}

function Lines({ items }: { items: string[] }) {
  if (items.length === 0) return <>–</>
  return (
    <>
      {items.map((item) => (
        <span class="line">
          {item.split(HUMP).map((part, index) => (
            <>
              {index > 0 && <wbr />}
              {part}
            </>
          ))}
        </span>
      ))}
    </>
  )
}

const OPS: Record<PriceOp, string> = {
  register: 'Register',
  renew: 'Renew',
  transfer: 'Transfer',
  restore: 'Restore',
}

/** What registering on a top-level domain costs and asks for. */
export function TldFacts({
  tld,
  prices,
}: {
  tld: Tld
  prices: Record<PriceOp, RegistrationPrice | null>
}) {
  const {
    term,
    grace_days,
    organization,
    registrant_countries,
    nameservers,
    dnssec,
    idn,
    privacy,
  } = requirementsOf(tld)
  const extras = [dnssec && 'DNSSEC', idn && 'international names', privacy && 'privacy']
  const priced = PRICE_OPS.flatMap((op): Fact[] => {
    const price = prices[op]
    return price ? [[OPS[op], <PriceFor {...price} />]] : []
  })
  return (
    <Facts
      facts={[
        ...(priced.length > 0 ? priced : ([['Price', 'not sold here']] as Fact[])),
        ['Kind', tld.type.replaceAll('-', ' ')],
        ['Who may register', organization ?? 'anyone'],
        ['From', countriesOf(registrant_countries)],
        ['Term', term.max_years === 0 ? '–' : `${term.min_years} to ${years(term.max_years)}`],
        ['After expiry', `${grace_days} days to renew`],
        ['Name servers', nameservers.required ? `${nameservers.min} at least` : 'not needed'],
        ['Supports', extras.filter(Boolean).join(', ') || '–'],
      ]}
    />
  )
}

function PriceFor({ price_cents, currency, years: count }: RegistrationPrice) {
  return (
    <>
      {money(price_cents, currency)} <span class="soft">for {years(count)}</span>
    </>
  )
}

function years(count: number): string {
  return count === 1 ? '1 year' : `${count} years`
}

function countriesOf(codes: string[] | null): string {
  if (codes === null) return 'anywhere'
  const names = codes.slice(0, MAX_COUNTRIES).map(nameOfCountry)
  const more = codes.length - names.length
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
