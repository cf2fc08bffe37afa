import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { offer } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await offer(service, 'live', ['dog-bakery.com'], 123_400)
})
afterAll(() => service.stop())

const get = (target: string) =>
  service.send({ method: 'GET', target, headers: { accept: 'text/html' } })

describe('prices on our own pages', () => {
  test.each(['/', '/browse', '/tlds/com', '/search?q=dog+bakery', '/d/dog-bakery.com'])(
    'are shown on %s to everybody',
    async (path) => {
      const { text } = await get(path)
      expect(text).toContain('$1,234.00')
      expect(text).not.toContain('to see the price')
    },
  )

  test('can be filtered by', async () => {
    expect((await get('/browse?max=1000')).text).not.toContain('dog-bakery')
    expect((await get('/browse?min=1000')).text).toContain('dog-bakery')
  })

  test('stay masked in the API, whoever read the page before', async () => {
    const pages = get('/browse')
    const api = await service.send({ method: 'GET', target: '/api/market/listings' })
    await pages
    expect(api.body.items[0]).toMatchObject({ price_cents: null, price_masked: true })
    const max = await service.send({ method: 'GET', target: '/api/market/listings?max=1' })
    expect(max.status).toBe(401)
  })
})
