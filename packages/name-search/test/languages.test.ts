import { describe, expect, test } from 'vitest'
import { labelOf, NameIndex } from '../src/name-index.ts'
import { rank } from '../src/rank.ts'
import { splitLabel } from '../src/split-label.ts'

function search(names: string[], query: string): string[] {
  const index = new NameIndex()
  for (const name of names) index.put(name, splitLabel(labelOf(name)), 100_000)
  return rank(index, query, {}, 5).map(({ domain }) => domain)
}

const OTHERS = ['villagebakery.com', 'fluteschool.com', 'petpantry.com', 'reparaturnews.de']

describe('a query in another language', () => {
  test.each([
    ['coches de segunda mano', 'cochesusados.com'],
    ['billige Flüge nach Spanien', 'guenstigflug-spanien.de'],
    ["voitures d'occasion pas chères", 'voiturepascher.fr'],
    ['abogado de divorcios', 'bufetelegal.es'],
    ['купить квартиру в Москве', 'москва-недвижимость.рф'],
    ['二手车', '二手汽车.com'],
    ['牙医', '牙科诊所.cn'],
    ['歯医者', '歯科クリニック.jp'],
    ['강아지 사료', '반려견사료.com'],
    ['कुत्ता भोजन', 'कुत्ताभोजन.com'],
    ['طبيب أسنان', 'عيادةأسنان.com'],
    ['padaria artesanal', 'paofresco.com.br'],
    ['tandarts spoed', 'noodtandarts.nl'],
  ])('%s finds %s', (query, name) => {
    expect(search([...OTHERS, name], query)[0]).toBe(name)
  })

  test.each([
    ['Zahnarzt Hamburg', 'dentist-hamburg.com'],
    ['panadería', 'artisanbakery.com'],
    ['Hundefutter', 'caninecuisine.com'],
    ['狗粮', 'puppyplates.com'],
  ])('%s finds the English name %s where there is no other', (query, name) => {
    expect(search([...OTHERS, name], query)).toContain(name)
  })

  test('is not corrected into English', () => {
    expect(search(OTHERS, 'billige Flüge')).toEqual([])
  })

  test('says what matched in letters that people read', () => {
    const index = new NameIndex()
    index.put('कुत्ताभोजन.com', splitLabel('कुत्ताभोजन'), 100_000)
    const [found] = rank(index, 'कुत्ता', {}, 5)
    expect(found?.why).toBe('matches कुत्ता')
  })
})

test('an English word that other languages have as well keeps its English sense', () => {
  expect(search(['breadshop.com', 'painrelief.com'], 'pain relief')[0]).toBe('painrelief.com')
  expect(search(['giftbox.com', 'poisonlab.com'], 'gift')[0]).toBe('giftbox.com')
})
