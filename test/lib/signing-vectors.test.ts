import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  renderSigningVectors,
  type SigningVectors,
  VECTORS_URL,
} from '../../scripts/make-signing-vectors.ts'
import { canonicalQuery, queryPairs } from '../../src/lib/canonical-query.ts'
import { canonicalString, requestSignature } from '../../src/lib/signature.ts'

const VERIFIER = fileURLToPath(new URL('../support/verify-vectors.py', import.meta.url))
const hasPython = spawnSync('python3', ['--version']).status === 0

const committed = readFileSync(VECTORS_URL, 'utf8')
const { scheme, vectors }: SigningVectors = JSON.parse(committed)

describe('the published signing vectors', () => {
  it('are what the script makes', () => {
    expect(committed).toBe(renderSigningVectors())
  })

  it('are many, of one scheme, and each named once', () => {
    expect(scheme).toBe('v1')
    expect(vectors.length).toBeGreaterThanOrEqual(170)
    expect(new Set(vectors.map((vector) => vector.name)).size).toBe(vectors.length)
  })

  it('are requests that the service would accept', () => {
    for (const vector of vectors) {
      expect(vector.method, vector.name).toMatch(/^[A-Z]+$/)
      expect(vector.path, vector.name).toMatch(/^\/[!"$->@-~]*$/)
      expect(vector.raw_query, vector.name).toMatch(/^[!"$-~]*$/)
      expect(vector.timestamp, vector.name).toMatch(/^\d{10}$/)
      expect(vector.nonce, vector.name).toMatch(/^[!-~]{8,128}$/)
      if (vector.method === 'GET' || vector.method === 'HEAD') {
        expect(vector.body_base64, vector.name).toBe('')
      }
    }
  })

  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    const query = canonicalQuery(queryPairs(vector.raw_query))
    expect(query).toBe(vector.canonical_query)
    const canonical = canonicalString({
      method: vector.method,
      path: vector.path,
      query,
      timestamp: vector.timestamp,
      nonce: vector.nonce,
      body: Buffer.from(vector.body_base64, 'base64'),
    })
    expect(canonical).toBe(vector.canonical_string)
    expect(canonical.split('\n')).toHaveLength(6)
    expect(requestSignature(vector.secret, canonical)).toBe(vector.signature)
  })
})

describe.skipIf(!hasPython)('the independent verifier', () => {
  const verify = (document: unknown) =>
    spawnSync('python3', [VERIFIER, '-'], { input: JSON.stringify(document), encoding: 'utf8' })

  it('agrees with every vector', () => {
    const { status, stdout, stderr } = spawnSync(
      'python3',
      [VERIFIER, fileURLToPath(VECTORS_URL)],
      {
        encoding: 'utf8',
      },
    )
    expect(stderr).toBe('')
    expect(stdout).toBe(`${vectors.length} vectors, 0 faults\n`)
    expect(status).toBe(0)
  })

  it.each(['canonical_query', 'canonical_string', 'signature'] as const)(
    'sees a wrong %s',
    (field) => {
      const altered = vectors.map((vector, index) =>
        index === 7 ? { ...vector, [field]: `${vector[field]}0` } : vector,
      )
      const { status, stderr } = verify({ scheme, vectors: altered })
      expect(status).toBe(1)
      expect(stderr).toContain(`${vectors[7]?.name}: ${field}`)
    },
  )
})
