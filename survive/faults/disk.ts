import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openEmbedded } from '../../src/db/embedded.ts'
import { findHalfDone } from '../../test/support/half-done.ts'
import { clientFor, newFolder, printedCredential, start } from '../../test/support/process.ts'
import { orderBody } from '../../test/support/sale.ts'
import { hold, type Proof, Skipped } from '../proof.ts'
import { importNames } from '../support/market.ts'

const run = promisify(execFile)
const ADMIN_TOKEN = 'the-admin-token-of-this-trial'
const SIZE = '120m'

/** The embedded database on a disk that fills up under it. */
export const fullDisk: Proof = {
  name: 'a full disk, embedded',
  async run({ size }) {
    const folder = await newFolder()
    await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder]).catch(() => {
      throw new Skipped('no right to mount a small disk')
    })
    const ballast = join(folder, 'ballast')
    const variables = {
      DATA_DIR: folder,
      ADMIN_TOKEN,
      LOG_LEVEL: 'fatal',
      RATE_LIMIT_PARTNER: '1000000',
    }
    const acknowledged = new Set<string>()
    const statuses = new Map<number, number>()
    let errors = 0
    try {
      let service = await start(variables)
      const credential = printedCredential(service.stdout())
      if (!credential) throw new Error('the first start printed no credential')
      const names = await importNames(service, ADMIN_TOKEN, 'disk', 3_000)
      const sellUntil = async (enough: () => boolean) => {
        const client = clientFor(service, credential)
        while (!enough()) {
          const domain = names.pop()
          if (!domain) return
          for (const step of ['quote', 'order'] as const) {
            const { body = {}, status } =
              step === 'quote'
                ? await client.post('/quotes', { domain })
                : await client.post('/orders', orderBody(last))
            statuses.set(status, (statuses.get(status) ?? 0) + 1)
            hold(status !== 500, `on a full disk a ${step} was answered ${JSON.stringify(body)}`)
            if (status >= 300) {
              errors += 1
              break
            }
            if (step === 'quote') last = body
            else acknowledged.add(body.public_id)
          }
        }
      }
      let last: { domain: string; price_cents: number; quote_id: string } = {
        domain: '',
        price_cents: 0,
        quote_id: '',
      }
      await sellUntil(() => acknowledged.size >= 20)
      // All that is left goes at once, as when something else fills the disk.
      await writeFile(ballast, Buffer.alloc(2 ** 28)).catch(() => {})
      const wanted = size({ quick: 20, ci: 50, release: 100 })
      await sellUntil(() => errors >= wanted || names.length < 1_000)
      hold(errors > 0, 'the disk never was full')
      await service.kill()
      await rm(ballast)
      service = await start(variables)
      const before = acknowledged.size
      await sellUntil(() => acknowledged.size >= before + 10)
      hold((await service.stop()).code === 0, 'the service did not stop in order')
      const server = await openEmbedded(join(folder, 'database'))
      const { rows } = await server.query('select public_id from orders', [])
      const found = await findHalfDone(server)
      await server.close()
      const there = new Set(rows.map(({ public_id }) => String(public_id)))
      for (const id of acknowledged) hold(there.has(id), `${id} was acknowledged, and is lost`)
      hold(found.length === 0, `in the end there is ${found.join('; ')}`)
    } finally {
      await run('umount', ['-l', folder])
    }
    const shown = [...statuses].map(([status, times]) => `${status}: ${times}`).join(', ')
    return `${acknowledged.size} orders acknowledged before and after, none lost (${shown})`
  },
}
