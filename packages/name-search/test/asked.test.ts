import { describe, expect, test } from 'vitest'
import { labelOf, NameIndex } from '../src/name-index.ts'
import { rank } from '../src/rank.ts'
import { readQuery } from '../src/read-query.ts'
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

/** Looking for phrases takes the cube of the words. */
describe('a query of many words is read by sixteen of them', () => {
  const short =
    'cat dog sun car pet hat pen cup box map key bed fox owl bee ant egg ham jam pie tea'
  const chinese =
    '我想为我的新公司找一个好的域名它卖有机茶和咖啡以及手工制作的蛋糕面包糖果还有送给朋友和家人的礼物'
  test.each([
    ['apart', short],
    ['run together', short.replaceAll(/(\w+) (\w+) (\w+)/g, '$1$2$3')],
    ['as one', short.replaceAll(' ', '')],
    ['as a domain', `${short.replaceAll(' ', '').slice(0, 63)}.com`],
    ['without spaces', chinese],
  ])('%s', (_, query) => {
    expect(readQuery(query, new NameIndex()).words).toHaveLength(16)
  })

  test('those that say most', () => {
    const query = `${'theandforyouwithfromthatthis'.repeat(2)} kayak rental`
    expect(readQuery(query, new NameIndex()).words.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['kayak', 'rental']),
    )
  })
})
