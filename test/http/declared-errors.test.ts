import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ErrorCode } from '../../src/core/errors.ts'
import type { AdminOperation, PartnerOperation } from '../../src/core/operation.ts'
import { ADMIN_OPERATIONS } from '../../src/http/admin/serve.ts'
import { PARTNER_OPERATIONS } from '../../src/http/partner/operations.ts'
import type { PartnerClient, Result } from '../support/client.ts'
import { inputFor, queryOf } from '../support/inputs.ts'
import { startService, type TestService } from '../support/service.ts'

const OPERATIONS: readonly (AdminOperation | PartnerOperation)[] = [
  ...PARTNER_OPERATIONS,
  ...ADMIN_OPERATIONS,
]

let service: TestService
let partner: PartnerClient
beforeAll(async () => {
  service = await startService()
  partner = await service.partner({ affiliate: true })
})
afterAll(() => service.stop())

const declaring = (code: ErrorCode) =>
  OPERATIONS.filter(({ errors }) => errors.includes(code)).map(
    (operation) => [operation.name, operation] as const,
  )

/** Nobody has listed it. */
const UNLISTED = 'never-listed.test'

/** Asks with an input that is well-formed, about things that nobody has. */
async function ask(
  operation: AdminOperation | PartnerOperation,
  place: Record<string, string> = {},
): Promise<Result> {
  const { schema, input: sample } = inputFor(operation.input)
  if (sample.domain) sample.domain = UNLISTED
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const [choice = operation.path.startsWith('/registrars') ? 'none' : UNLISTED] =
      schema.properties?.[name]?.enum ?? []
    return choice as string
  })
  const takesBody = operation.method === 'POST' || operation.method === 'PUT'
  const needed = (schema.required ?? []).filter((name) => !operation.path.includes(`{${name}}`))
  const query = queryOf({
    ...Object.fromEntries(needed.map((name) => [name, String(sample[name])])),
    ...place,
  })
  const target = takesBody ? path : path + query
  const body = takesBody ? sample : undefined
  if (operation.kind === 'admin_read' || operation.kind === 'admin_write') {
    return await service.admin(operation.method, target, body)
  }
  const base = operation.unversioned ? '/api/partner' : '/api/partner/v1'
  return await partner.call(operation.method, base + target, body)
}

describe('what each operation declares is what it returns', () => {
  test.each(declaring('not_found'))('not_found of %s', async (_name, operation) => {
    const response = await ask(operation)
    expect(response.body.error?.code, response.text).toBe('not_found')
  })

  test.each(declaring('invalid_cursor'))('invalid_cursor of %s', async (name, operation) => {
    const place = name === 'list_events' ? 'after_id' : 'cursor'
    const response = await ask(operation, { [place]: 'nonsense' })
    expect(response.body.error?.code, response.text).toBe('invalid_cursor')
  })
})
