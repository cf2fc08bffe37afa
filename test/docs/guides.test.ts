import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seedListings } from '../../src/modules/sandbox/seed.ts'
import type { PartnerClient } from '../support/client.ts'
import { startService, type TestService } from '../support/service.ts'

const run = promisify(execFile)
let service: TestService
let folder: string
beforeAll(async () => {
  service = await startService()
  folder = await mkdtemp(join(tmpdir(), 'guides-'))
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

/** Runs a document's shell snippets as a reader would: one after another, in one shell. */
async function follow(document: string, partner: PartnerClient): Promise<string> {
  const text = await readFile(new URL(`../../${document}`, import.meta.url), 'utf8')
  const snippets = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, snippet]) => snippet)
  expect(snippets.length).toBeGreaterThan(0)
  const stopChildren = `trap 'kill $(jobs -p) 2>/dev/null || true' EXIT`
  const script = [stopChildren, ...snippets].join('\n')
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    timeout: 25_000,
    env: {
      ...process.env,
      SERVICE_URL: service.baseUrl,
      SERVICE_KEY_ID: partner.credential.key_id,
      SERVICE_SECRET: partner.credential.secret,
    },
  })
  return stdout
}

function answers(output: string) {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

describe('what the documents tell a reader to paste', () => {
  test('the README searches the sandbox', async () => {
    const [found] = answers(await follow('README.md', await service.partner()))
    expect(found.count).toBeGreaterThan(0)
    expect(found.results[0].why).toContain('dog')
  })

  test('"Your first sale" sells, settles and starts over', async () => {
    const partner = await service.partner()
    const said = answers(await follow('docs/guides/first-sale.md', partner))
    const statement = said.findLast((answer) => answer.lines)
    expect(statement).toMatchObject({ status: 'closed', order_count: 1 })
    expect(statement.lines[0].owed_cents).toBe(statement.amount_owed_cents)
    const { events } = said.find((answer) => answer.events)
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      'order.recorded',
      'order.transfer_started',
      'order.transfer_completed',
      'order.settled',
    ])
    expect(said.find((answer) => answer.error)?.error.code).toBe('conflict')
    expect(said.at(-1)).toMatchObject({ reset: true })
  })

  test('"Receiving webhooks" receives a test event and a sale', async () => {
    const output = await follow('docs/guides/receiving-webhooks.md', await service.partner())
    expect(output).toContain('webhook.test {"message"')
    expect(output).toContain('order.recorded {"order"')
    expect(answers(output).filter((answer) => answer.error)).toEqual([])
  })

  test('"Reading the market" searches, walks and batches', async () => {
    await seedListings(service.house, 'live')
    const output = await follow('docs/guides/reading-the-market.md', await service.partner())
    const [search, ...more] = answers(output)
    expect(search.results[0]).toMatchObject({ domain: '7lanterns.com', state: 'listed' })
    const rows = more.filter((answer) => answer.kind === 'row')
    expect(rows).toHaveLength(search.results.length)
    const counts = more.find((answer) => answer.com)
    const { page } = (await service.send({ method: 'GET', target: '/api/market/listings' })).body
    const counted = Object.values<number>(counts).reduce((sum, count) => sum + count, 0)
    expect(counted).toBe(page.total)
    expect(more.at(-1)).toMatchObject({ count: 3, failed: 1 })
    expect(more.filter((answer) => answer.error)).toEqual([])
  })
})
