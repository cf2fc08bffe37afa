import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const get = (target: string) => service.send({ method: 'GET', target })

describe.each([
  ['/docs', '/openapi.json'],
  ['/docs/partner', '/openapi-partner.json'],
])('%s', (path, source) => {
  test('shows every operation of its document', async () => {
    const page = await get(path)
    expect(page.status).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    const { body } = await get(source)
    for (const [route, methods] of Object.entries(body.paths)) {
      expect(page.text.includes(`<code>${route}</code>`), route).toBe(true)
      for (const { operationId } of Object.values(
        methods as Record<string, { operationId: string }>,
      )) {
        expect(page.text.includes(`<article id="${operationId}">`), operationId).toBe(true)
        expect(page.text.includes(`href="#${operationId}"`), operationId).toBe(true)
      }
    }
  })

  test('asks no other host, and runs no script', async () => {
    const { text, headers } = await get(path)
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self';/)
    expect(text.match(/<script|<style|<[^>]* (?:style|src|on\w+)="/g)).toBeNull()
    const links = [...text.matchAll(/<link[^>]+href="([^"]+)"/g)].map(([, href]) => href)
    expect(links).toEqual(['/docs/style.css'])
  })
})

test('the style sheet is served, and holds nothing of other hosts', async () => {
  const { status, headers, text } = await get('/docs/style.css')
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/css; charset=utf-8')
  expect(text).not.toMatch(/url\(|@import/)
})
