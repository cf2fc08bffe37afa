import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { parseDomainName } from 'domain-marketplace-domain-names'
import { describe, expect, test } from 'vitest'

const text = (file: string) =>
  readFileSync(new URL(`../../registries/${file}`, import.meta.url), 'utf8')
const rows = (file: string): Record<string, string>[] => parse(text(file), { columns: true })

const tlds = rows('tlds.csv')
const known = new Set(tlds.map(({ tld }) => tld))
const top = tlds.filter(({ tld, type }) => !tld?.includes('.') && type !== 'reserved')

describe('tlds.csv', () => {
  test('has every delegated top-level domain once, in order', () => {
    expect(top).toHaveLength(1438)
    expect(known.size).toBe(tlds.length)
    const names = tlds.map(({ tld = '' }) => tld)
    expect(names).toEqual(names.toSorted((a, b) => (a < b ? -1 : 1)))
    for (const tld of names) expect(parseDomainName(`name.${tld}`)?.tld, tld).toBe(tld)
  })

  test('has the types of the root database', () => {
    const count = (type: string) => top.filter((row) => row.type === type).length
    // Two letters are countries' (RFC 1591), and no others but their own scripts.
    for (const { tld, type } of top) {
      if (/^[a-z]{2}$/.test(tld ?? '')) expect(type, tld).toBe('country-code')
      else if (type === 'country-code') expect(tld).toMatch(/^xn--/)
    }
    expect(top.filter(({ tld }) => tld?.startsWith('xn--'))).toHaveLength(151)
    expect(count('infrastructure')).toBe(1)
    expect(count('sponsored')).toBe(14)
    expect(count('generic-restricted')).toBe(3)
  })
})

describe('requirements.csv', () => {
  const requirements = rows('requirements.csv')

  test('covers at least sixty top-level domains, each with its source', () => {
    expect(requirements.filter(({ tld }) => !tld?.includes('.')).length).toBeGreaterThan(60)
    expect(new Set(requirements.map(({ tld }) => tld)).size).toBe(requirements.length)
    for (const row of requirements) {
      expect(known, row.tld).toContain(row.tld)
      expect(row.source?.length, row.tld).toBeGreaterThan(5)
    }
  })

  test('holds whole numbers that fit together, yes and no, and country codes', () => {
    for (const row of requirements) {
      const number = (field: string) => {
        expect(row[field], `${row.tld} ${field}`).toMatch(/^\d+$/)
        return Number(row[field])
      }
      expect(number('min_years')).toBeLessThanOrEqual(number('max_years'))
      expect(number('nameservers_min')).toBeLessThanOrEqual(number('nameservers_max'))
      expect(number('grace_days')).toBeLessThanOrEqual(90)
      for (const field of ['nameservers_required', 'dnssec', 'idn', 'privacy']) {
        expect(row[field], `${row.tld} ${field}`).toMatch(/^(?:yes|no)$/)
      }
      expect(row.registrant_countries, row.tld).toMatch(/^(?:[A-Z]{2}(?: [A-Z]{2})*)?$/)
    }
  })
})

describe('prices.csv', () => {
  test('prices what the public may register, a renewal never below half a registration', () => {
    const open = new Set(tlds.filter((row) => row.registration === 'open').map(({ tld }) => tld))
    for (const { tld = '', ...cents } of rows('prices.csv')) {
      if (!tld.startsWith('*')) expect(open, tld).toContain(tld)
      for (const [field, value] of Object.entries(cents)) {
        expect(value, `${tld} ${field}`).toMatch(/^[1-9]\d*$/)
      }
      expect(Number(cents.restore_cents)).toBeGreaterThan(Number(cents.renew_cents))
    }
  })
})

describe('whois-servers.csv', () => {
  test('names a host and a form of query for each', () => {
    for (const { tld, server, query } of rows('whois-servers.csv')) {
      expect(known).toContain(tld)
      expect(parseDomainName(server ?? '')?.domain, tld).toBe(server)
      expect(query?.split('{domain}'), tld).toHaveLength(2)
    }
  })

  test('with RDAP reaches nearly all that the public may register on', () => {
    const { services } = JSON.parse(text('rdap-bootstrap.json'))
    const reached = new Set<string>(services.flatMap(([names]: [string[]]) => names))
    for (const { tld } of rows('whois-servers.csv')) reached.add(tld ?? '')
    const open = top.filter((row) => row.registration === 'open')
    const missed = open.filter(({ tld }) => !reached.has(tld ?? ''))
    expect(missed.length / open.length).toBeLessThan(0.12)
    expect(missed.filter(({ type }) => type === 'generic')).toEqual([])
  })
})
