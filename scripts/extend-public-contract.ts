import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { publicDocument } from '../src/http/openapi/public.ts'
import { PUBLIC_OPERATIONS } from '../src/http/public/operations.ts'
import { breaches, factsOf } from '../test/support/contract-facts.ts'

/** Adds what is new in the public contract to its baseline. What it promised before cannot be taken back. */
const FILE = new URL('../docs/public-contract.txt', import.meta.url)
const older = existsSync(FILE) ? readFileSync(FILE, 'utf8').split('\n').filter(Boolean) : []
const newer = factsOf(publicDocument(PUBLIC_OPERATIONS, 'http://localhost:3000'))
const broken = breaches(older, newer)
if (broken.length > 0) {
  console.error(`This would break the public contract:\n${broken.join('\n')}`)
  process.exitCode = 1
} else {
  writeFileSync(FILE, `${newer.join('\n')}\n`)
  console.log(`${newer.length - older.length} facts added`)
}
