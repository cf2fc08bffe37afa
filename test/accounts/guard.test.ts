import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOUR } from '../../src/lib/clock.ts'
import { fairQueue, QueueFull } from '../../src/lib/fair-queue.ts'
import { mailsTo } from '../support/market.ts'
import { makeUser, PASSWORD } from '../support/oauth.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ settings: { trustedProxies: ['127.0.0.1'] } })
})
afterAll(() => service.stop())

async function signIn(email: string, password: string, address: string): Promise<number> {
  const { status } = await service.send({
    method: 'POST',
    target: '/sign-in',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      'x-forwarded-for': address,
    },
    body: new URLSearchParams({ email, password }).toString(),
  })
  return status
}

const setFailed = (email: string, count: number) =>
  service.app.db
    .updateTable('users')
    .set({ failed_sign_ins: count, failed_since: service.clock.now() })
    .where('email', '=', email)
    .execute()

describe('wrong passwords of one account', () => {
  const email = 'guessed@example.com'

  test('from many addresses are told to its owner, once a day', async () => {
    await makeUser(service, email)
    expect(await signIn(email, PASSWORD, '203.0.113.9')).toBe(303)
    await setFailed(email, 18)
    for (const host of [1, 2, 3]) await signIn(email, 'wrong words', `198.51.100.${host}`)
    const warnings = (await mailsTo(service, email)).filter((subject) =>
      subject.includes('wrong passwords'),
    )
    expect(warnings).toHaveLength(1)
  })

  test('have a budget over all addresses, which locks nobody out who was there before', async () => {
    await setFailed(email, 50)
    expect(await signIn(email, PASSWORD, '198.51.100.77')).toBe(429)
    expect(await signIn(email, PASSWORD, '203.0.113.9')).toBe(303)
    service.clock.advance(HOUR)
    expect(await signIn(email, PASSWORD, '198.51.100.77')).toBe(303)
  })
})

describe('a fair queue', () => {
  test('takes turns by client, and rejects who asks for too much', async () => {
    const queue = fairQueue({ atOnce: 1, perClient: 3, overall: 5 })
    const order: string[] = []
    let open = () => {}
    const blocked = queue('first', () => new Promise<void>((resolve) => (open = resolve)))
    const ask = (client: string, name: string) =>
      queue(client, async () => void order.push(name)).catch((error: unknown) => {
        if (!(error instanceof QueueFull)) throw error
        order.push(`${name} rejected`)
      })
    const all = [
      ask('greedy', 'g1'),
      ask('greedy', 'g2'),
      ask('greedy', 'g3'),
      ask('greedy', 'g4'),
      ask('modest', 'm1'),
      ask('other', 'o1'),
      ask('late', 'l1'),
    ]
    await Promise.resolve()
    open()
    await Promise.all([blocked, ...all])
    expect(order.slice(2)).toEqual(['g1', 'm1', 'o1', 'g2', 'g3'])
    expect(order.slice(0, 2).toSorted()).toEqual(['g4 rejected', 'l1 rejected'])
  })
})
