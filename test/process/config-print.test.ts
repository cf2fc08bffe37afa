import { expect, test, vi } from 'vitest'
import { cli } from '../support/process.ts'

vi.setConfig({ testTimeout: 60_000 })

test('config print shows every setting, where it is from, and no secret', async () => {
  const { code, stdout } = await cli(['--json', 'config', 'print'], {
    PORT: '4000',
    ADMIN_TOKEN: 'a-secret-of-the-admin',
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    DATABASE_URL: 'postgres://market:a-secret-of-the-database@db/market',
    SMTP_URL: 'smtp://user:a-secret-of-the-mail@mail.example',
    ALERT_WEBHOOK_URL: 'https://hooks.example/a-secret-of-the-hook',
    ALERT_WEBHOOK_SECRET: 'a-secret-of-alerts',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a-secret-of-collectors',
  })
  expect(code).toBe(0)
  expect(stdout).not.toMatch(/a-secret|BwcHBw/)
  const { settings } = JSON.parse(stdout)
  const value = (name: string) =>
    settings.find(({ variable }: { variable: string }) => variable === name)
  expect(value('PORT')).toEqual({ variable: 'PORT', value: '4000', from: 'environment' })
  expect(value('ADMIN_TOKEN').value).toBe('(set)')
  expect(value('DATABASE_URL').value).toBe('postgres://market:hidden@db/market')
  expect(value('ALERT_WEBHOOK_URL').value).toBe('https://hooks.example/(set)')
  expect(value('DATA_DIR')).toEqual({ variable: 'DATA_DIR', value: './data', from: 'default' })
})

test('config print shows no secret of an address, wherever it is in it', async () => {
  const database =
    'postgres://db/market?user=market&password=a-secret&sslpassword=a-secret&sslmode=require'
  const { code, stdout } = await cli(['--json', 'config', 'print'], {
    DATABASE_URL: database,
    DATABASE_OWNER_URL: 'postgres://owner@db/market',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:a-secret@collector.example',
    TERMS_URL: 'https://a-secret@market.example/terms',
    PRIVACY_URL: 'https://market.example/privacy?lang=a b',
    EMBEDDINGS_URL: 'https://models.example/v1/a-secret-4f9c0d2be81a7c35/x?api-key=a-secret',
    EMBEDDINGS_MODEL: 'toy',
  })
  expect(code).toBe(0)
  expect(stdout).not.toContain('a-secret')
  const { settings } = JSON.parse(stdout)
  const shown = Object.fromEntries(
    settings.map(({ variable, value }: Record<string, string>) => [variable, value]),
  )
  expect(shown).toMatchObject({
    DATABASE_URL: database.replaceAll('a-secret', 'hidden'),
    DATABASE_OWNER_URL: 'postgres://owner@db/market',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:hidden@collector.example/',
    TERMS_URL: 'https://hidden@market.example/terms',
    PRIVACY_URL: 'https://market.example/privacy?lang=a b',
    EMBEDDINGS_URL: 'https://models.example/v1/hidden/x?api-key=hidden',
  })
})

test('config print fails on a setting that cannot be used, as the start does, once it has printed all', async () => {
  const { code, stdout, stderr } = await cli(['--json', 'config', 'print'], {
    PORT: 'eighty',
    DATABASE_URL: 'postgres://market:a-secret/with@slashes:x@db/market',
    BASE_URL: 'market:a-secret',
    SMTP_URL: 'smtp://user@mail.example?pass=a-secret',
  })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^error: .*PORT: must be a whole number/)
  expect(stdout).not.toContain('a-secret')
  expect(stderr).not.toContain('a-secret')
  const { settings } = JSON.parse(stdout)
  expect(settings).toContainEqual({ variable: 'PORT', value: 'eighty', from: 'environment' })
  expect(settings).toContainEqual({
    variable: 'SMTP_URL',
    value: 'smtp://user@mail.example?pass=hidden',
    from: 'environment',
  })
})
