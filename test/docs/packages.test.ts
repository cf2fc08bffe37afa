import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const names = readdirSync(`${ROOT}packages`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

describe.each(names)('the README of %s', (name) => {
  const readme = readFileSync(`${ROOT}packages/${name}/README.md`, 'utf8')

  test('has an example that prints what it says', async () => {
    const code = /^```js\n([^]*?)^```$/m.exec(readme)?.[1] ?? ''
    const prints = [...code.matchAll(/^\/\/ prints: (.*)$/gm)].map(([, line]) => line)
    expect(prints.length).toBeGreaterThan(0)
    const options = ['--import', 'tsx', '--input-type=module', '--eval', code]
    const { stdout } = await run('node', options, { cwd: ROOT })
    expect(stdout.trimEnd().split('\n')).toEqual(prints)
  }, 60_000)

  test('names everything that the package exports', async () => {
    const exported = Object.keys(await import(`${ROOT}packages/${name}/src/index.ts`))
    expect(exported.length).toBeGreaterThan(0)
    for (const each of exported) expect(readme).toContain(`\`${each}`)
  })
})

test('the README of registry-lookup names every field and state of a result', () => {
  const read = (file: string) => readFileSync(`${ROOT}packages/registry-lookup/${file}`, 'utf8')
  const result = /interface RegistryResult {[^]*?\n}/.exec(read('src/result.ts'))?.[0] ?? ''
  const fields = [...result.matchAll(/^ {2}(\w+):/gm)].map(([, field]) => field)
  const states = /state: (.*)/.exec(result)?.[1]?.match(/\w+/g) ?? []
  expect(states).toContain('premium')
  const row = /^\| `createRegistryLookup.*$/m.exec(read('README.md'))?.[0]
  expect(row).toContain(`{ ${fields.join(', ')} }`)
  for (const state of states) expect(row).toContain(`\`${state}\``)
})
