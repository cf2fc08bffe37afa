import { BadReceipt, type VerifiedReceipt, verifyReceipt } from '../bin/receipt.ts'
import { expectConflict, expectStatus, expectThat, expectThatOf, Failure, text } from './expect.ts'
import { type Check, checksOf, type Kit } from './kit.ts'
import { delivered } from './quotes.ts'

const GAPS = 'contract 19'

const check = checksOf('receipts')

/** The members of a JWK that only its owner may have (RFC 7518, 6; RFC 8037, 2). */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

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
    expectConflict(await receiptOf(kit, public_id), 'not_allowed_now')
    expectStatus(await receiptOf(kit, 'ord_none'), 404, 'not_found')
  }),
  check('contract 7', 'publishes its public keys, and no private part of one', async (kit) => {
    const answer = await kit.send({ method: 'GET', target: '/.well-known/jwks.json' })
    const { keys } = expectStatus(answer, 200).body ?? {}
    expectThatOf(answer, Array.isArray(keys) && keys.length > 0, 'there are no keys')
    for (const key of keys) {
      expectThatOf(answer, text(key.kid) && text(key.kty), 'a key has no kid or kty (RFC 7517)')
      const secret = PRIVATE.find((name) => name in key)
      expectThatOf(
        answer,
        !secret,
        `the key ${key.kid} has its PRIVATE part "${secret}": replace it`,
      )
    }
  }),
  check(GAPS, 'signs a receipt that is verified offline, by the public keys alone', async (kit) => {
    const id = await delivered(kit)
    const { body: order } = expectStatus(await kit.get(`/orders/${id}`), 200)
    const { receipt_id, receipt } = expectStatus(await receiptOf(kit, id), 200).body
    const paymentRef = order.external_payment_ref
    const { claims, environment } = verified(receipt, await keysOf(kit), { paymentRef })
    expectThat(environment === 'sandbox', 'the receipt does not say that it is of the sandbox')
    expectThat(
      claims.jti === receipt_id,
      `jti of the receipt is ${claims.jti} instead of ${receipt_id}`,
    )
    expectThat(
      claims.public_id === id,
      `public_id of the receipt is ${claims.public_id} instead of ${id}`,
    )
    expectThat(
      claims.domain === order.domain,
      `domain of the receipt is ${claims.domain} instead of ${order.domain}`,
    )
    expectThat(
      claims.price_cents === order.sale_price_cents,
      `price_cents of the receipt is ${claims.price_cents} instead of ${order.sale_price_cents}`,
    )
    expectThat(
      claims.currency === order.currency,
      `currency of the receipt is ${claims.currency} instead of ${order.currency}`,
    )
    expectThat(claims.quote_sha256 !== null, 'the receipt has no quote_sha256')
    expectThat(
      !JSON.stringify(claims).includes(order.buyer.email),
      'the receipt has the e-mail address of the buyer',
    )
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
      const shown = expectStatus(await open(receipt_id), 200)
      expectThatOf(shown, shown.text === receipt, 'the receipt is another than that of the order')
      expectStatus(await open('rct_none'), 404)
    },
  ),
]
