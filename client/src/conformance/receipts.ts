import { BadReceipt, type VerifiedReceipt, verifyReceipt } from '../bin/receipt.ts'
import { type Check, checksOf, expectStatus, expectThat, Failure, type Kit } from './kit.ts'
import { delivered } from './quotes.ts'

const GAPS = 'contract 19'

const check = checksOf('receipts')

const receiptOf = (kit: Kit, id: string) => kit.get(`/orders/${id}/receipt`)

/** Reads nothing but the token and the keys: anyone who has both gets the same result offline. */
function verified(...[token, jwks, expected]: Parameters<typeof verifyReceipt>): VerifiedReceipt {
  try {
    return verifyReceipt(token, jwks, expected)
  } catch (error) {
    if (error instanceof BadReceipt) throw new Failure(error.message)
    throw error
  }
}

async function keysOf(kit: Kit): Promise<unknown> {
  const answer = await kit.send({ method: 'GET', target: '/.well-known/jwks.json' })
  return expectStatus(answer, 200).body
}

export const RECEIPTS: Check[] = [
  check(GAPS, 'has no receipt of an order before its delivery: 409', async (kit) => {
    const { public_id } = (await kit.sale()).body
    expectStatus(await receiptOf(kit, public_id), 409, 'conflict')
    expectStatus(await receiptOf(kit, 'ord_none'), 404, 'not_found')
  }),
  check(GAPS, 'signs a receipt that is verified offline, by the public keys alone', async (kit) => {
    const id = await delivered(kit)
    const { body: order } = expectStatus(await kit.get(`/orders/${id}`), 200)
    const { receipt_id, receipt } = expectStatus(await receiptOf(kit, id), 200).body
    const paymentRef = order.external_payment_ref
    const { claims, environment } = verified(receipt, await keysOf(kit), { paymentRef })
    expectThat(environment === 'sandbox', 'it does not say that it is of the sandbox')
    expectThat(claims.jti === receipt_id, `its id is ${claims.jti} instead of ${receipt_id}`)
    expectThat(claims.public_id === id, `it is of ${claims.public_id}`)
    expectThat(claims.domain === order.domain, `it is of ${claims.domain}`)
    expectThat(claims.price_cents === order.sale_price_cents, `it says ${claims.price_cents}`)
    expectThat(claims.currency === order.currency, `it says ${claims.currency}`)
    expectThat(claims.quote_sha256 !== null, 'it has no hash of the quote')
    expectThat(!JSON.stringify(claims).includes(order.buyer.email), 'it names the buyer')
  }),
  check(
    GAPS,
    'shows the same receipt at its public address, and nothing at others',
    async (kit) => {
      const { receipt_id, receipt } = expectStatus(
        await receiptOf(kit, await delivered(kit)),
        200,
      ).body
      const open = (id: string) =>
        kit.send({
          method: 'GET',
          target: `/receipts/${id}`,
          headers: { accept: 'application/jwt' },
        })
      expectThat(expectStatus(await open(receipt_id), 200).text === receipt, 'it is another')
      expectStatus(await open('rct_none'), 404)
    },
  ),
]
