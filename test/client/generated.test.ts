import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { GENERATED, generate } from '../../client/scripts/generate.ts'

test("the client's types are those of the OpenAPI documents: npm run client-types", async () => {
  const files = await generate()
  expect(readdirSync(GENERATED).toSorted()).toEqual(Object.keys(files).toSorted())
  for (const [name, text] of Object.entries(files)) {
    expect(readFileSync(new URL(name, GENERATED), 'utf8') === text, `${name} is out of date`).toBe(
      true,
    )
  }
})
