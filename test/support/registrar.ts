import { expect, vi } from 'vitest'
import type { RegistrarOperation } from '../../src/domain/registrars/operation.ts'
import { makeUser, signIn } from './oauth.ts'
import { type Reader, readerOf } from './reader.ts'
import type { TestService } from './service.ts'

const MINUTE = 60_000

/** A user of a service with these domains and a saved card, who calls the public API. */
export async function domainOwner(
  service: TestService,
  email: string,
  domains: string[],
): Promise<Reader> {
  await makeUser(service, email, domains)
  const { token } = (await service.admin('POST', '/user-tokens', { email })).body
  const browser = await signIn(service, email)
  const card = { card_number: '4242 4242 4242 4242', card_expiry: '12/39', card_cvc: '123' }
  expect((await browser.post('/account/payment-method', card)).status).toBe(303)
  return readerOf(() => service, token)
}

/** A registrar operation once it has this status; the clock goes on meanwhile, so that it is tried again. */
export async function operationEnded(
  service: TestService,
  operationId: string,
  wanted: 'succeeded' | 'failed' = 'succeeded',
): Promise<RegistrarOperation> {
  return await vi.waitFor(
    async () => {
      service.clock.advance(5 * MINUTE)
      const row = await service.app.db
        .selectFrom('registrar_operations')
        .selectAll()
        .where('operation_id', '=', operationId)
        .executeTakeFirstOrThrow()
      expect(row.status).toBe(wanted)
      return row
    },
    { timeout: 25_000, interval: 100 },
  )
}
