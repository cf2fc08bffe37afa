import { describe, expect, test } from 'vitest'
import { splitLabel } from '../src/split-label.ts'

describe('a label is read as words', () => {
  test.each(
    `pet supplies / best car insurance / get dog store / lawyer directory / canine cuisine / pet pantry
    home insurance quotes / yoga studio / crypto wallets / podcast hosting / vegan snacks
    drone photography / saas metrics / dental care / london plumbers / healthy eats / baby shower
    kids clothes / car rental / job search / wedding dresses / organic coffee / web hosting
    cloud storage / data science / moving company / used cars / real estate agent / green leaf
    speed of art / who represents / pen island / experts exchange / therapist finder / choose spain
    mushroom spawn / water heater / the coffee hub / ai chat bot / go protect`
      .split(/[/\n]/)
      .map((words) => words.trim()),
  )('%s', (words) => {
    expect(splitLabel(words.replaceAll(' ', '')).join(' ')).toBe(words)
  })

  test.each([
    ['eco-friendly-bags', 'eco friendly bags'],
    ['cheapflights24', 'cheap flights 24'],
    ['4kvideo', '4k video'],
    ['zapli24', 'zapli 24'],
    ['пицца24', 'пицца 24'],
    ['24пицца', '24 пицца'],
    ['b2bleads', 'b2b leads'],
    ['2026', '2026'],
    ['xn--caf-dma', 'cafe'],
    ['cochesdesegundamano', 'coches de segunda mano'],
    ['gebrauchtwagenhandel', 'gebrauchtwagen handel'],
    ['치과병원', '치과 병원'],
    ['二手车市场', '二手 车 市场'],
    ['母婴优选', '母婴 优选'],
    ['ремонтквартир', 'ремонт квартир'],
  ])('%s is %s', (label, words) => {
    expect(splitLabel(label).join(' ')).toBe(words)
  })

  test.each(['zapli', 'nuvora', 'kelvio', 'xqzv'])('%s stays whole, as a brand', (label) => {
    expect(splitLabel(label)).toEqual([label])
  })

  test.each(['a', '1', 'x'.repeat(63), 'ab'.repeat(31), '9'.repeat(63), 'a-b-c-d-e-f-g'])(
    'loses no letter of %s',
    (label) => {
      expect(splitLabel(label).join('')).toBe(label.replaceAll('-', ''))
    },
  )
})
