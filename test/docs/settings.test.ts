import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { describeSettings } from '../../scripts/describe-settings.ts'

test('docs/OPERATING.md has every setting with its default: else run npm run -s settings', () => {
  const operating = readFileSync(new URL('../../docs/OPERATING.md', import.meta.url), 'utf8')
  expect(operating).toContain(`\n${describeSettings()}\n`)
})

test('every setting says what it is', () => {
  expect(describeSettings()).not.toContain('|  |')
})
