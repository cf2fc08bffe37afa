import { describe, expect, test } from 'vitest'
import { labelOf, NameIndex } from '../src/name-index.ts'
import { rank } from '../src/rank.ts'
import { splitLabel } from '../src/split-label.ts'

function search(names: string[], query: string) {
  const index = new NameIndex()
  for (const name of names) index.put(name, splitLabel(labelOf(name)), 100_000)
  return rank(index, query, {}, 5)
}
const found = (names: string[], query: string) => search(names, query).map(({ domain }) => domain)

describe('what names say for what is asked', () => {
  test('two words that fit count together, one alone does not tell', () => {
    const names = ['heelpainclinic.com', 'heelworld.com', 'painstudio.com']
    expect(found(names, 'podiatrist')).toEqual(['heelpainclinic.com'])
  })

  test('a phrase is found whatever stands between its words, and in whatever order', () => {
    const names = ['greenarborists.com', 'housecuts.com']
    const [first] = search(
      names,
      'a tree behind my house that is too tall to leave, who cuts it down?',
    )
    expect(first?.domain).toBe('greenarborists.com')
    expect(first?.why).toContain('arborist for')
  })

  test('a word that is asked for answers itself, and nothing else of the query', () => {
    const names = ['cryptowallet.com', 'pursewallet.com', 'bitcoinvault.com']
    const [first, , last] = search(names, 'crypto wallet')
    expect(first?.domain).toBe('cryptowallet.com')
    expect(last?.score ?? 0).toBeLessThan(0.9)
  })

  test('what nobody wrote down is found as before', () => {
    expect(found(['zaplianorders.com'], 'zaplian')).toEqual(['zaplianorders.com'])
  })
})
