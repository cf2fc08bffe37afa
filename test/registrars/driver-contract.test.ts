import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  DRIVER_IDS,
  type DriverId,
  NotPerformed,
  type PerformOptions,
  type RegistrarCommand,
  RegistrarRejected,
  ResponseLost,
  TEST_STEPS,
  TestFailed,
} from '../../src/domain/registrars/driver.ts'
import { driverOf } from '../../src/domain/registrars/drivers.ts'
import { newId } from '../../src/lib/ids.ts'
import { type Bench, type LossPoint, ownProtection } from './benches/bench.ts'
import { dynadotBench } from './benches/dynadot.ts'
import { eppBench } from './benches/epp.ts'
import { realtimeRegisterBench } from './benches/realtime-register.ts'
import { simulatedBench } from './benches/simulated.ts'

/** A driver that is added gets its bench here, and with it every test below. */
const BENCHES: Partial<Record<DriverId, () => Promise<Bench>>> = {
  simulated: simulatedBench,
  epp: eppBench,
  'realtime-register': realtimeRegisterBench,
  dynadot: dynadotBench,
}
/** Its operations are performed by people. */
const WITHOUT_BENCH: DriverId[] = ['manual']

const call = (signal = AbortSignal.timeout(20_000)): PerformOptions => ({
  reference: newId('rop', new Date()),
  signal,
  protection: ownProtection(),
})

test('every driver is held to the contract', () => {
  expect([...Object.keys(BENCHES), ...WITHOUT_BENCH].toSorted()).toEqual(DRIVER_IDS.toSorted())
})

describe.each(Object.entries(BENCHES))('the driver %s', (id, openBench) => {
  const driver = driverOf(id as DriverId)
  let bench: Bench
  beforeAll(async () => {
    bench = await openBench()
  })
  afterAll(() => bench.stop())

  const has = (capability: (typeof driver.capabilities)[number]) =>
    driver.capabilities.includes(capability)
  const names = () => {
    const [one = '', two = '', three = ''] = bench.domains
    return { one, two, three }
  }
  const read = async (domain: string) => {
    const found = await bench.connection.info(domain, call())
    return has('info') ? found : null
  }
  const perform = (domain: string, command: RegistrarCommand, options = call()) =>
    bench.connection.perform(domain, command, options)
  const expiryOf = async (domain: string) =>
    (await read(domain))?.expiresAt ?? new Date('2027-06-01T00:00:00Z')
  const renewal = async (domain: string, years = 1) => ({
    op: 'renew' as const,
    years,
    expiresAt: await expiryOf(domain),
    maxFee: null,
  })
  const effects = (domain: string) => bench.performedOn?.(domain) ?? 0

  test('wants top-level domains in its configuration', () => {
    for (const config of [{}, { tlds: [] }, { tlds: ['not a tld'] }, { tlds: 'com' }]) {
      const fields = driver.config.safeParse(config).error?.issues.map(({ path }) => path[0])
      expect(fields).toContain('tlds')
    }
  })

  test('says what the server is, and what can be done there', async () => {
    const { server } = await bench.connection.test(AbortSignal.timeout(20_000))
    expect(server).not.toBe('')
    for (const each of bench.connection.capabilities) expect(driver.capabilities).toContain(each)
    expect(bench.connection.poll !== undefined).toBe(has('poll'))
    expect(bench.connection.acknowledge !== undefined).toBe(has('poll'))
    expect(bench.connection.checkFees !== undefined).toBe(has('check_fees'))
  })

  test('says at which step a test failed', async () => {
    for (const step of TEST_STEPS) {
      const failing = bench.failing[step]?.()
      if (!failing) continue
      const error = await failing.test(AbortSignal.timeout(20_000)).catch((error) => error)
      expect(error).toBeInstanceOf(TestFailed)
      expect(error.step).toBe(step)
    }
  })

  test.runIf(has('info'))('reads what is in the account, and null of what is not', async () => {
    const { one } = names()
    const found = await read(one)
    expect(found?.expiresAt).toBeInstanceOf(Date)
    expect(found?.locked).toBe(false)
    expect(found?.nameservers.length).toBeGreaterThan(0)
    expect(await read(bench.foreign)).toBeNull()
    expect(await read(`nobody-has-${bench.foreign}`)).toBeNull()
  })

  test.runIf(has('renew'))('renews from an expiry', async () => {
    const { one } = names()
    const command = await renewal(one, 2)
    const { expiresAt } = await perform(one, command)
    expect(expiresAt?.getUTCFullYear()).toBe(command.expiresAt.getUTCFullYear() + 2)
    if (has('info')) expect(await expiryOf(one)).toEqual(expiresAt)
  })

  test.runIf(has('lock') && has('unlock'))('locks and unlocks, also what is so', async () => {
    const { one } = names()
    for (const op of ['lock', 'lock', 'unlock', 'unlock'] as const) {
      await perform(one, { op })
      if (has('info')) expect((await read(one))?.locked).toBe(op === 'lock')
    }
  })

  test.runIf(has('set_nameservers'))('sets name servers, also those that are set', async () => {
    const { one } = names()
    const nameservers = ['ns1.elsewhere.example', 'ns2.elsewhere.example']
    for (const _ of [1, 2]) {
      await perform(one, { op: 'set_nameservers', nameservers })
      if (has('info')) {
        expect((await read(one))?.nameservers.toSorted()).toEqual(nameservers.toSorted())
      }
    }
  })

  test.runIf(has('set_auth_code'))('a code opens the domain, and clearing it locks', async () => {
    const { one } = names()
    await perform(one, { op: 'lock' })
    await perform(one, { op: 'set_auth_code', authCode: 'Ab3!Ab3!Ab3!Ab3!Ab3!Ab3!' })
    if (has('info')) expect((await read(one))?.locked).toBe(false)
    await perform(one, { op: 'clear_auth_code' })
    if (has('info')) expect((await read(one))?.locked).toBe(true)
    await perform(one, { op: 'unlock' })
  })

  test.runIf(has('set_privacy'))('switches privacy', async () => {
    const { one } = names()
    for (const enabled of [true, false]) {
      await perform(one, { op: 'set_privacy', enabled })
      const privacy = (await read(one))?.privacy ?? null
      if (privacy !== null) expect(privacy).toBe(enabled)
    }
  })

  test.runIf(has('push'))('pushes a domain out of the account', async () => {
    const { three } = names()
    await perform(three, { op: 'push', account: 'another-account' })
    if (has('info')) expect(await read(three)).toBeNull()
  })

  test.runIf(!has('push'))('rejects a push, which it cannot do', async () => {
    await expect(perform(names().three, { op: 'push', account: 'a' })).rejects.toThrow(
      RegistrarRejected,
    )
  })

  describe.runIf(has('set_for_sale'))('a record at _for-sale', () => {
    const value = 'v=FORSALE1;furi=https://market.example/d/two.com'
    const set = (published: boolean) =>
      perform(names().two, { op: 'set_for_sale', value, published })

    test('is published and withdrawn, also where it is so, and no other record changes', async () => {
      const { two } = names()
      const before = bench.zone?.all(two)
      expect(before?.length ?? 3).toBeGreaterThan(2)
      for (const _ of [1, 2]) {
        await set(true)
        expect(bench.zone?.texts(two) ?? [value]).toEqual([value])
        expect(bench.zone?.all(two).slice(0, -1)).toEqual(before)
      }
      for (const _ of [1, 2]) {
        await set(false)
        expect(bench.zone?.all(two)).toEqual(before)
      }
    })

    test.each<LossPoint>(['before', 'after'])(
      'is published once where a response is lost %s the effect',
      async (point) => {
        if (!bench.lose || !bench.zone) return
        const { two } = names()
        for (const published of [true, false]) {
          const before = effects(two)
          bench.lose(point)
          await expect(set(published)).rejects.toThrow(ResponseLost)
          expect(effects(two)).toBe(before + (point === 'after' ? 1 : 0))
          await set(published)
          expect(effects(two)).toBe(before + 1)
          expect(bench.zone.texts(two)).toEqual(published ? [value] : [])
        }
      },
    )

    test('is not published in a zone that nobody asks', async () => {
      if (!bench.zone) return
      const { two } = names()
      bench.zone.delegate(two, false)
      const before = bench.zone.all(two)
      await expect(set(true)).rejects.toMatchObject({ code: 'zone_elsewhere' })
      await set(false)
      expect(bench.zone.all(two)).toEqual(before)
      bench.zone.delegate(two, true)
    })

    test('is not published beside what the owner says there', async () => {
      if (!bench.zone) return
      const { two } = names()
      bench.zone.write(two, 'v=FORSALE1;furi=https://owner.example/')
      const before = bench.zone.all(two)
      await expect(set(true)).rejects.toMatchObject({ code: 'other_records' })
      await set(false)
      expect(bench.zone.all(two)).toEqual(before)
    })
  })

  test.runIf(!has('set_for_sale'))('rejects a record at _for-sale', async () => {
    const command = { op: 'set_for_sale', value: 'v=FORSALE1;', published: true } as const
    await expect(perform(names().two, command)).rejects.toThrow(RegistrarRejected)
  })

  test('a command whose time is over is not sent', async () => {
    if (!bench.performedOn) return
    const { two } = names()
    const before = effects(two)
    const over = call(AbortSignal.abort(new Error('too late')))
    await expect(perform(two, { op: 'lock' }, over)).rejects.toThrow(NotPerformed)
    expect(effects(two)).toBe(before)
  })

  test.each<LossPoint>(['before', 'after'])(
    'a response that is lost %s the effect is lost, and a repeat renews nothing twice',
    async (point) => {
      if (!bench.lose) return
      const { two } = names()
      const command = await renewal(two)
      const before = effects(two)
      bench.lose(point)
      await expect(perform(two, command)).rejects.toThrow(ResponseLost)
      expect(effects(two)).toBe(before + (point === 'after' ? 1 : 0))
      // The state says what became of it: whoever repeats it all the same renews it once.
      const isRenewed = (await expiryOf(two)) > command.expiresAt
      expect(isRenewed).toBe(point === 'after')
      const { expiresAt } = await perform(two, command)
      expect(expiresAt).toEqual(await expiryOf(two))
      expect(effects(two)).toBe(before + 1)
    },
  )

  test('a rejection has a code and the words of the registrar, and changes nothing', async () => {
    if (!bench.reject) return
    const { two } = names()
    const before = effects(two)
    bench.reject('Not on Mondays.')
    const error = await perform(two, { op: 'lock' }).catch((error) => error)
    expect(error).toBeInstanceOf(RegistrarRejected)
    expect(error.code).not.toBe('')
    expect(`${error.message} ${error.reason ?? ''}`).toContain('Not on Mondays.')
    expect(effects(two)).toBe(before)
    expect((await read(two))?.locked).toBe(false)
  })

  test('what cannot be sent was not performed, and is performed later', async () => {
    if (!bench.reachable) return
    const { two } = names()
    await bench.reachable(false)
    await expect(bench.connection.info(two, call())).rejects.toThrow(NotPerformed)
    await expect(perform(two, { op: 'lock' })).rejects.toThrow(NotPerformed)
    await bench.reachable(true)
    await perform(two, { op: 'lock' })
    expect((await read(two))?.locked).toBe(true)
    await perform(two, { op: 'unlock' })
  })

  test('a renewal that costs more than may be paid is not sent', async () => {
    if (!bench.fee) return
    const { two } = names()
    const check = await bench.connection.checkFees?.(two, call())
    expect(check).toMatchObject({ available: false, renew: bench.fee })
    const before = effects(two)
    const maxFee = { ...bench.fee, cents: bench.fee.cents - 1 }
    const command = await renewal(two)
    await expect(perform(two, { ...command, maxFee })).rejects.toThrow(RegistrarRejected)
    expect(effects(two)).toBe(before)
    await perform(two, { ...command, maxFee: bench.fee })
    expect(effects(two)).toBe(before + 1)
  })

  test('of a fee in another currency only the usual one is agreed to', async () => {
    if (!bench.fee) return
    const { two } = names()
    const before = effects(two)
    const maxFee = { cents: 1, currency: 'EUR' }
    await perform(two, { ...(await renewal(two)), maxFee })
    expect(effects(two)).toBe(before + 1)
    bench.makePremium?.(two)
    await expect(perform(two, { ...(await renewal(two)), maxFee })).rejects.toMatchObject({
      code: 'fee_currency',
    })
    expect(effects(two)).toBe(before + 1)
  })

  test.runIf(has('poll'))('says a message until it is acknowledged', async () => {
    const { poll, acknowledge } = bench.connection
    const next = () => poll?.call(bench.connection, call())
    expect(await next()).toBeNull()
    bench.say?.('A transfer was requested.', names().two)
    const message = await next()
    expect(message).toMatchObject({
      domain: names().two,
      kind: 'transfer',
      text: 'A transfer was requested.',
    })
    expect(await next()).toEqual(message)
    for (const _ of [1, 2]) await acknowledge?.call(bench.connection, message?.id ?? '', call())
    expect(await next()).toBeNull()
  })
})
