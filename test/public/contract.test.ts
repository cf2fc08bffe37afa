import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { publicDocument } from '../../src/http/openapi/public.ts'
import { PUBLIC_OPERATIONS } from '../../src/http/public/operations.ts'
import { breaches, factsOf } from '../support/contract-facts.ts'

const baseline = readFileSync(new URL('../../docs/public-contract.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean)
const document = () => publicDocument(PUBLIC_OPERATIONS, 'http://localhost:3000')

describe('the public contract', () => {
  test('keeps everything that it ever promised', () => {
    expect(breaches(baseline, factsOf(document()))).toEqual([])
  })

  test('has every promise in its baseline: npm run public-contract adds new ones', () => {
    expect(factsOf(document()).filter((fact) => !baseline.includes(fact))).toEqual([])
  })

  // biome-ignore lint/suspicious/noExplicitAny: the document is changed in ways its type forbids
  const changed = (change: (document: any) => void): string[] => {
    const copy = structuredClone(document())
    change(copy)
    return breaches(baseline, factsOf(copy))
  }
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const items = (doc: any) => doc.components.schemas.Listing
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const body = (doc: any) =>
    doc.paths['/api/domain/search'].post.requestBody.content['application/json'].schema

  test.each([
    ['a field that is removed', (doc) => delete items(doc).properties.tld],
    [
      'a field that is renamed',
      (doc) => {
        items(doc).properties.zone = items(doc).properties.tld
        delete items(doc).properties.tld
      },
    ],
    ['a field of another type', (doc) => (items(doc).properties.tld.type = 'integer')],
    [
      'a field that may be null now',
      (doc) => (items(doc).properties.tld.type = ['string', 'null']),
    ],
    ['a field that may be missing now', (doc) => items(doc).required.pop()],
    ['a path that is removed', (doc) => delete doc.paths['/api/batch']],
    ['a method that is removed', (doc) => delete doc.paths['/api/batch'].get],
    ['an input that is removed', (doc) => doc.paths['/api/market/listings'].get.parameters.pop()],
    ['a value that is removed', (doc) => sort(doc).schema.enum.pop()],
    ['an input that is demanded now', (doc) => (sort(doc).required = true)],
    [
      'a new input that is demanded',
      (doc) => {
        body(doc).properties.why = { type: 'string' }
        body(doc).required.push('why')
      },
    ],
    // biome-ignore lint/suspicious/noExplicitAny: as above
  ] as [string, (doc: any) => unknown][])('is broken by %s', (_, change) => {
    expect(changed(change).length).toBeGreaterThan(0)
  })

  test.each([
    ['a new field', (doc) => (items(doc).properties.zone = { type: 'string' })],
    ['a new optional input', (doc) => (body(doc).properties.why = { type: 'string' })],
    ['a new value', (doc) => sort(doc).schema.enum.push('longest')],
    [
      'a new operation, whatever it demands',
      (doc) => {
        doc.paths['/api/new'] = structuredClone({ post: doc.paths['/api/domain/search'].post })
      },
    ],
    // biome-ignore lint/suspicious/noExplicitAny: as above
  ] as [string, (doc: any) => unknown][])('bears %s', (_, change) => {
    expect(changed(change)).toEqual([])
  })

  // biome-ignore lint/suspicious/noExplicitAny: as above
  function sort(doc: any) {
    return doc.paths['/api/market/listings'].get.parameters.find(
      ({ name }: { name: string }) => name === 'sort',
    )
  }
})
