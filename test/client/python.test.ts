import { execFile, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { pythonModels } from '../../scripts/python-models.ts'
import { seedListings } from '../../src/domain/sandbox/seed.ts'
import { startService } from '../support/service.ts'

const run = promisify(execFile)
const FOLDER = 'client-python'
const isThere = spawnSync('python3', ['--version']).status === 0

test('the types of the client for Python are of today: else run npm run -s python-models', () => {
  const models = readFileSync(`${FOLDER}/domain_marketplace/models.py`, 'utf8')
  expect(models).toBe(pythonModels())
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const project = readFileSync(`${FOLDER}/pyproject.toml`, 'utf8')
  expect(/^version = "(.*)"$/m.exec(project)?.[1]).toBe(version)
  expect(readFileSync(`${FOLDER}/LICENSE`, 'utf8')).toBe(readFileSync('LICENSE', 'utf8'))
})

test('the types of the client for Python have a name each, so that none hides another', () => {
  const models = pythonModels()
  const names = [...models.matchAll(/^(\w+) = /gm)].map(([, name]) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  expect(models).toContain("Event = Union['EventOrderRecorded', 'EventTransferFailed',")
})

test('the types of the client for Python say what a field is, also where it may be null', () => {
  const models = pythonModels()
  expect(models).toContain("'external_ref': Optional[str],")
  const unknown = [...models.matchAll(/^ {4}'(\w+)': Any,$/gm)].map(([, field]) => field)
  expect([...new Set(unknown)]).toEqual(['details'])
})

// A machine without the language cannot try its client.
test.skipIf(!isThere)(
  'the client for Python signs, retries, verifies, sells and reads',
  async () => {
    const service = await startService()
    const before = readdirSync(FOLDER)
    try {
      await seedListings(service.app, 'live')
      const { credential } = await service.partner()
      const ran = () =>
        run('python3', ['-W', 'error', '-m', 'unittest', 'discover', 'tests'], {
          cwd: FOLDER,
          env: {
            ...process.env,
            PYTHONDONTWRITEBYTECODE: '1',
            SERVICE_URL: service.baseUrl,
            SERVICE_KEY_ID: credential.key_id,
            SERVICE_SECRET: credential.secret,
          },
        })
      // Twice, since a reader runs it more than once in one sandbox.
      for (const time of ['first', 'second']) {
        const { stderr } = await ran().catch((error: { stderr: string }) => error)
        expect(stderr, `the ${time} time`).toMatch(/^Ran \d+ tests[^]*\nOK\n$/m)
      }
      expect(readdirSync(FOLDER)).toEqual(before)
    } finally {
      await service.stop()
    }
  },
  120_000,
)
