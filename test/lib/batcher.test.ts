import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { batcher } from '../../src/lib/batcher.ts'

const outcomeOf = (response: Promise<string>) =>
  response.then(
    (value) => value,
    (error: Error) => error.message,
  )

test('a group gathers while another is under way', async () => {
  const groups: string[][] = []
  const ask = batcher(
    async (keys: string[]) => {
      groups.push(keys)
      await sleep(20)
      return keys
    },
    { groupSize: 3, inFlight: 1 },
  )
  const first = ask('a')
  await sleep(5)
  expect(await Promise.all([first, ...['b', 'c', 'd', 'e'].map(ask)])).toEqual([...'abcde'])
  expect(groups).toEqual([['a'], ['b', 'c', 'd'], ['e']])
})

test('who has waited for long behind a group that fails does so with it, who came late does not', async () => {
  const asked: string[] = []
  const ask = batcher(
    async (keys: string[]) => {
      asked.push(...keys)
      if (!keys.includes('dead')) return keys
      await sleep(700)
      throw new Error('no answer')
    },
    { groupSize: 3, inFlight: 1 },
  )
  const dead = outcomeOf(ask('dead'))
  await sleep(10)
  const early = outcomeOf(ask('early'))
  await sleep(500)
  const late = outcomeOf(ask('late'))
  expect(await Promise.all([dead, early, late])).toEqual(['no answer', 'no answer', 'late'])
  expect(asked).toEqual(['dead', 'late'])
})
