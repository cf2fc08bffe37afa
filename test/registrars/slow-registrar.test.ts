import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CallOptions, RegistrarCommand } from '../../src/domain/registrars/driver.ts'
import { must } from '../support/market.ts'
import type { Reader } from '../support/reader.ts'
import { domainOwner } from '../support/registrar.ts'
import { connectScripted, ScriptedRegistrar } from '../support/scripted-registrar.ts'
import { startService, type TestService } from '../support/service.ts'

const PATIENCE = { timeout: 20_000, interval: 100 }

/** Responds to nothing from `hang` until `goOn`. */
class SlowRegistrar extends ScriptedRegistrar {
  /** How many calls wait for a response. */
  waiting = 0
  goOn = () => {}
  #response = Promise.resolve()

  hang(): void {
    this.#response = new Promise((resolve) => {
      this.goOn = resolve
    })
  }

  override async info(domain: string) {
    await this.#respond()
    return await super.info(domain)
  }

  override async perform(domain: string, command: RegistrarCommand, options: CallOptions) {
    await this.#respond()
    return await super.perform(domain, command, options)
  }

  async #respond(): Promise<void> {
    this.waiting += 1
    await this.#response
    this.waiting -= 1
  }
}

let service: TestService
let ann: Reader
const slow = new SlowRegistrar(['slow.com'])
const quick = new ScriptedRegistrar(['quick.net'])
beforeAll(async () => {
  service = await startService({ settings: { registry: 'live' } })
  ann = await domainOwner(service, 'ann@example.com', ['slow.com', 'quick.net'])
  await connectScripted(service, slow, ['com'], 'slow')
  await connectScripted(service, quick, ['net'], 'quick')
})
afterAll(async () => {
  slow.goOn()
  await service.stop()
})

/** Starts it, and returns the id of the operation. */
async function change(op: 'lock' | 'unlock', domain: string): Promise<string> {
  const response = await ann.post(`/api/domains/bulk/${op}`, { domains: [domain] })
  const [result] = must(response, 200).body.results
  expect(result).toMatchObject({ status: 202 })
  return result.operation_id
}

/** The clock is left alone: a job whose lease has run out would be started anew. */
async function succeeded(operationId: string): Promise<void> {
  const status = async () => (await ann.get(`/api/domains/operations/${operationId}`)).body.status
  await expect.poll(status, PATIENCE).toBe('succeeded')
}

async function startSync(name: string, domains: string[]): Promise<string> {
  const started = await service.admin('POST', `/registrars/${name}/syncs`, { domains })
  return must(started, 202).body.sync_id
}

async function syncStatus(id: string): Promise<string> {
  return must(await service.admin('GET', `/registrar-syncs/${id}`), 200).body.status
}

describe('while a registrar does not respond', () => {
  test('operations that come to another are performed', async () => {
    await succeeded(await change('lock', 'slow.com'))
    slow.hang()
    const stuck = await change('unlock', 'slow.com')
    await expect.poll(() => slow.waiting, PATIENCE).toBe(1)
    await succeeded(await change('lock', 'quick.net'))
    await succeeded(await change('unlock', 'quick.net'))
    expect(quick.performed).toEqual(['lock quick.net', 'unlock quick.net'])
    expect(slow.performed).toEqual(['lock slow.com'])
    slow.goOn()
    await succeeded(stuck)
    expect(slow.performed).toEqual(['lock slow.com', 'unlock slow.com'])
  })

  test('domains of another are read', async () => {
    slow.hang()
    const stuck = await startSync('slow', ['slow.com'])
    await expect.poll(() => slow.waiting, PATIENCE).toBe(1)
    for (const _ of [1, 2]) {
      const later = await startSync('quick', ['quick.net'])
      await expect.poll(() => syncStatus(later), PATIENCE).toBe('done')
    }
    expect(await syncStatus(stuck)).toBe('running')
    slow.goOn()
    await expect.poll(() => syncStatus(stuck), PATIENCE).toBe('done')
  })
})
