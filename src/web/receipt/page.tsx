import type { ComponentChildren } from 'preact'
import type { RegistrySaid, TransferRegistrar } from '../../domain/events/transfer-view.ts'
import type { ReceiptClaims } from '../../domain/orders/delivery-receipt.ts'
import { money } from '../components/money.ts'
import { Name } from '../components/name.tsx'
import { At, Copyable, Facts, Id, Notice, Timestamp } from '../components/parts.tsx'

/** What each command that a registrar is asked for a buyer does, in words. */
const ASKED: Partial<Record<string, string>> = {
  set_auth_code: 'To set a transfer code, so that the buyer’s registrar can transfer the domain',
  push: 'To move the domain into the buyer’s account',
}

const SOURCES: Partial<Record<string, string>> = {
  rdap: 'the registry’s RDAP service',
  whois: 'the registry’s WHOIS service',
  simulated: 'a simulated registry',
}

/** What a receipt says, claim by claim, and how to check that it is ours. */
export function ReceiptPage({
  claims,
  token,
  isTest,
  baseUrl,
}: {
  claims: ReceiptClaims
  token: string
  isTest: boolean
  baseUrl: string
}) {
  const { registrar, registry } = claims
  return (
    <>
      {isTest && <Notice kind="info">This is a test. Nothing real was sold or delivered.</Notice>}
      <p class="soft">Delivery receipt</p>
      <h1>
        <Name domain={claims.domain} />
      </h1>
      <p class="lead">
        The domain was sold and delivered. This receipt is signed, so anyone can verify that it has
        not been changed. It names no person.
      </p>
      <Facts
        facts={[
          ['Domain', <Name domain={claims.domain} />],
          ['Price', money(claims.price_cents, claims.currency)],
          ['Sold', <At at={claims.sold_at} />],
          ['Delivered', <At at={claims.delivered_at} />],
          ['Order', <Id id={claims.public_id} />],
        ]}
      />
      <h2>What the registrar was asked</h2>
      {registrar.asked ? <AskedOf {...registrar} /> : <p>Nothing was asked of a registrar.</p>}
      <h2>What the registry said</h2>
      <Facts
        facts={[
          ['Before the transfer', <Said said={registry.before} />],
          ['After the transfer', <Said said={registry.after} />],
        ]}
      />
      <h2>What it was paid with</h2>
      <p>
        The receipt has only the SHA-256 of the quote and of the payment’s reference. Anyone who has
        them can show that they belong to this sale.
      </p>
      <Facts
        facts={[
          ['Quote', <Hash hex={claims.quote_sha256} none="Sold without a quote" />],
          ['Payment', <Hash hex={claims.payment_ref_sha256} none="Not recorded" />],
        ]}
      />
      <h2>Verify this receipt</h2>
      <p>
        It is a JSON Web Signature of <code>{claims.iss}</code>, made <IssuedAt {...claims} />. Its
        key is among the <a href="/.well-known/jwks.json">public keys</a>, where it stays. Save the
        receipt and check it on your own machine:
      </p>
      <Copyable
        id="fetch"
        text={`curl -H 'Accept: application/jwt' ${baseUrl}/receipts/${claims.jti} > receipt.jwt`}
      />
      <Copyable
        id="verify"
        text={`marketplace verify-receipt receipt.jwt --jwks ${baseUrl}/.well-known/jwks.json`}
      />
      <p>
        <a href="/docs/guides/delivery-receipts">How delivery receipts work</a> describes the format
        and how to verify one with any JOSE library.
      </p>
      <details>
        <summary>The signed receipt</summary>
        <Copyable id="token" text={token} />
      </details>
    </>
  )
}

function AskedOf({ asked, answered }: ReceiptClaims['registrar']) {
  if (!asked) return null
  const facts: [string, ComponentChildren][] = [
    ['Registrar', <RegistrarName {...asked.registrar} />],
    ['Asked', ASKED[asked.op] ?? asked.op],
    ['When', <At at={asked.at} />],
    [
      'Response',
      answered ? (
        <>
          {answered.status === 'succeeded' ? 'Done' : 'Rejected'}, <At at={answered.at} />
        </>
      ) : (
        'None by the time of delivery'
      ),
    ],
  ]
  if (answered?.left_account_at) {
    facts.push(['Left the seller’s account', <At at={answered.left_account_at} />])
  }
  return <Facts facts={facts} />
}

function RegistrarName({ name, iana_id }: TransferRegistrar) {
  return (
    <>
      {name ?? 'not named'}
      {iana_id !== null && ` (IANA ${iana_id})`}
    </>
  )
}

function Said({ said }: { said: RegistrySaid | null }) {
  if (!said) return <>Nothing was recorded</>
  const { registrar, status, source, at } = said
  return (
    <>
      {registrar ? (
        <>
          Registrar: <RegistrarName {...registrar} />
        </>
      ) : (
        'No registrar was named'
      )}
      {status.length > 0 && `; status ${status.join(', ')}`}
      {`; said by ${SOURCES[source] ?? source}, `}
      <At at={at} />
    </>
  )
}

function Hash({ hex, none }: { hex: string | null; none: string }) {
  return hex === null ? <>{none}</> : <code>{hex}</code>
}

function IssuedAt({ iat }: ReceiptClaims) {
  return <Timestamp at={new Date(iat * 1000)} />
}
