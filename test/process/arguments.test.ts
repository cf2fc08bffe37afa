import { readFileSync } from 'node:fs'
import { afterAll, expect, test, vi } from 'vitest'
import { cleanUp, shell } from '../support/process.ts'

vi.setConfig({ testTimeout: 60_000 })
afterAll(cleanUp)

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

/** What a start with the option prints; it needs no setting, and opens no database. */
const startedWith = (option: string) =>
  shell(`DATABASE_URL=nonsense npm start --silent -- ${option}`)

test('a start with --version prints the version and exits', async () => {
  const ended = await startedWith('--version')
  expect(ended).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('a start with --help names the document of the settings', async () => {
  const { code, stdout, stderr } = await startedWith('--help')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^[^\n]+docs\/OPERATING\.md[^\n]+\n$/)
})

test('any other argument is an error, and nothing starts', async () => {
  const { code, stdout, stderr } = await startedWith('--port=4000')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(
    /^The service did not start\. --port=4000: there are --version and --help only\. /,
  )
})
