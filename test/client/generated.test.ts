import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { GENERATED, generate } from '../../client/scripts/generate.ts'
import { ERROR_STATUS } from '../../src/core/errors.ts'
import { scopesOf } from '../../src/core/operation.ts'
import { PARTNER_OPERATIONS } from '../../src/http/partner/operations.ts'
import { apiIndex } from '../../src/http/public/api-index.ts'
import { listBatchOperations, runBatch } from '../../src/http/public/batch.ts'
import { PUBLIC_OPERATIONS, USER_OPERATIONS } from '../../src/http/public/operations.ts'

test("the client's types are those of the OpenAPI documents: npm run client-types", async () => {
  const files = await generate()
  expect(readdirSync(GENERATED).toSorted()).toEqual(Object.keys(files).toSorted())
  for (const [name, text] of Object.entries(files)) {
    expect(readFileSync(new URL(name, GENERATED), 'utf8') === text, `${name} is out of date`).toBe(
      true,
    )
  }
})

describe("the client's methods say in their comments", () => {
  const SOURCE = new URL('../../client/src/', import.meta.url)
  /** Of any call, as the comments of the classes have it; the client sends the key by itself. */
  const OF_ANY = ['validation_error', 'forbidden', 'missing_idempotency_key']

  /** The comments of the methods that call an operation. */
  function commentsOn(operation: string): string[] {
    return readdirSync(SOURCE)
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => readFileSync(new URL(file, SOURCE), 'utf8').split('/**').slice(1))
      .flatMap((text) => {
        const [comment = '', code = ''] = text.split('*/')
        return new RegExp(`(?:call|send)\\('${operation}'`).test(code) ? [comment] : []
      })
  }

  test.each([
    ...PARTNER_OPERATIONS.map(({ name, errors }) => ({ name, errors })),
    ...PUBLIC_OPERATIONS,
    runBatch,
    listBatchOperations,
    ...USER_OPERATIONS,
    apiIndex,
  ])('what $name may be rejected with', ({ name, errors }) => {
    const comments = commentsOn(name)
    expect(comments.length).toBeGreaterThan(0)
    const own = errors.filter((code) => !OF_ANY.includes(code)).toSorted()
    for (const comment of comments) {
      const named = Object.keys(ERROR_STATUS).filter((code) => comment.includes(`\`${code}\``))
      expect(named.toSorted(), comment).toEqual(own)
    }
  })

  test.each(PARTNER_OPERATIONS.map((operation) => [operation.name, scopesOf(operation)] as const))(
    'which scope %s needs',
    (name, scopes) => {
      for (const comment of commentsOn(name)) {
        const [, needed = ''] = /Needs ([^;.]+)[;.]/.exec(comment.replace(/\s+\*\s+/g, ' ')) ?? []
        expect(needed, comment).toBe(scopes.map((scope) => `\`${scope}\``).join(' or '))
      }
    },
  )
})
