import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PerformOptions } from '../../src/domain/registrars/driver.ts'
import { openConnection, ownProtection } from './benches/bench.ts'
import { dynadotBench } from './benches/dynadot.ts'
import { type RtrBench, realtimeRegisterBench } from './benches/realtime-register.ts'

const call = (): PerformOptions => ({
  reference: 'rop_1',
  signal: AbortSignal.timeout(20_000),
  protection: ownProtection(),
})
const command = (domain: string, published = true) =>
  ({
    op: 'set_for_sale',
    value: `v=FORSALE1;furi=https://market.example/d/${domain}`,
    published,
  }) as const

describe('a zone of Realtime Register', () => {
  let bench: RtrBench
  beforeAll(async () => {
    bench = await realtimeRegisterBench()
  })
  afterAll(() => bench.stop())

  const set = (domain: string, published = true) =>
    bench.connection.perform(domain, command(domain, published), call())

  test.each([
    ['follows a template', { template: 'parking' }, 'zone_of_template'],
    ['is a copy of another', { master: '192.0.2.53' }, 'zone_of_master'],
    ['is of another name', { name: 'shared.com' }, 'zone_shared'],
    ['is not shown whole', { records: undefined }, 'zone_not_shown'],
  ])('that %s is left alone', async (_, change, code) => {
    const zone = bench.zones.get('one.com')
    const before = { ...zone }
    Object.assign(zone ?? {}, change)
    await expect(set('one.com')).rejects.toMatchObject({ code })
    expect(zone).toEqual({ ...before, ...change })
    Object.assign(zone ?? {}, before, 'records' in before ? {} : { records: [] })
    delete zone?.template
    delete zone?.master
  })

  test('that was cloned from a template and unlinked has its own records', async () => {
    Object.assign(bench.zones.get('one.com') ?? {}, { template: 'parking', link: false })
    await set('one.com')
    expect(bench.zone?.texts('one.com')).toEqual([command('one.com').value])
  })

  test('keeps what its owner writes beside the record, also when that is withdrawn', async () => {
    await set('two.com')
    bench.zone?.write('two.com', 'v=FORSALE1;fval=USD1')
    await set('two.com', false)
    expect(bench.zone?.texts('two.com')).toEqual(['v=FORSALE1;fval=USD1'])
  })

  test('that does not show what it accepted is said to', async () => {
    const zone = bench.zones.get('three.com')
    const records = zone?.records
    // It takes the update, and goes on as before.
    if (zone)
      Object.defineProperty(zone, 'records', { get: () => records, set() {}, enumerable: true })
    await expect(set('three.com')).rejects.toMatchObject({ code: 'not_shown' })
  })

  test('is in its DNS where the domain has one', async () => {
    expect((await bench.connection.info('two.com', call()))?.hostsZone).toBe(true)
    bench.zones.delete('two.com')
    expect((await bench.connection.info('two.com', call()))?.hostsZone).toBe(false)
    await expect(set('two.com')).rejects.toMatchObject({ code: 'zone_elsewhere' })
    await set('two.com', false)
  })
})

describe('a zone of Dynadot', () => {
  test('is set with the API secret alone, and nothing is removed beside other records', async () => {
    const bench = await dynadotBench()
    const { connection } = bench
    await connection.perform('two.com', command('two.com'), call())
    bench.zone?.write('two.com', 'v=FORSALE1;fval=USD1')
    const before = bench.zone?.all('two.com')
    await expect(
      connection.perform('two.com', command('two.com', false), call()),
    ).rejects.toMatchObject({ code: 'other_records' })
    expect(bench.zone?.all('two.com')).toEqual(before)

    expect((await connection.info('two.com', call()))?.hostsZone).toBe(true)
    bench.zone?.delegate('two.com', false)
    expect((await connection.info('two.com', call()))?.hostsZone).toBe(false)

    for (const [api_secret, code] of [
      [undefined, 'no_secret'],
      ['another-secret', '401'],
    ]) {
      const other = openConnection('dynadot', { ...bench.config, api_secret })
      expect(other.capabilities.includes('set_for_sale')).toBe(api_secret !== undefined)
      await expect(other.perform('one.com', command('one.com'), call())).rejects.toMatchObject({
        code,
      })
      await other.close()
    }
    await bench.stop()
  })
})
