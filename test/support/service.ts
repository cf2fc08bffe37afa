import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { type App, createApp } from '../../src/app.ts'
import { closeContext, createContext } from '../../src/context.ts'
import { type Environment, SCOPES, type Scope } from '../../src/core/caller.ts'
import type { AppContext } from '../../src/core/context.ts'
import type { PublicRead } from '../../src/core/operation.ts'
import type { Settings } from '../../src/core/settings.ts'
import { readSettings } from '../../src/core/settings.ts'
import { connectPostgres } from '../../src/db/postgres.ts'
import type { DatabaseServer } from '../../src/db/server.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { restartIds } from '../../src/lib/ids.ts'
import { createLog } from '../../src/log.ts'
import { PartnerClient, type Result, send } from './client.ts'
import { openTestDatabase } from './database.ts'

export const ADMIN_TOKEN = 'test-admin-token-0123456789'
export const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64')

/** Runs with real time, moved by what the test adds. */
export interface TestClock extends Clock {
  advance(milliseconds: number): void
}

export function testClock(): TestClock {
  let offset = 0
  return {
    now: () => new Date(Date.now() + offset),
    advance(milliseconds) {
      offset += milliseconds
    },
  }
}

interface PartnerOptions {
  environment?: Environment
  scopes?: readonly Scope[]
  /** Another credential of this partner. */
  partner_id?: string
  affiliate?: boolean
}

export interface TestService {
  baseUrl: string
  clock: TestClock
  app: AppContext
  /** Every log line so far, as JSON text. */
  logs: string[]
  /** Makes a partner (or another credential of one) through the admin API. */
  partner(options?: PartnerOptions): Promise<PartnerClient>
  admin(method: string, path: string, body?: unknown): Promise<Result>
  /** Lists names in an environment by an import, and returns its report. */
  list(environment: Environment, csv: string): Promise<Record<string, unknown>>
  send: (options: Parameters<typeof send>[1]) => Promise<Result>
  /** A second instance of the service on the same database; PostgreSQL only. */
  another(): Promise<TestService>
  /** Stops the app and starts it anew on the same database; only the response is to be used from then on. */
  restart(): Promise<TestService>
  stop(): Promise<void>
}

interface Hooks {
  another(): Promise<TestService>
  close(app: AppContext): Promise<void>
}

export interface ServiceOptions {
  settings?: Partial<Omit<Settings, 'rateLimits'>> & {
    rateLimits?: Partial<Settings['rateLimits']>
  }
  clock?: TestClock
  /** Whose the tokens are; without it no token is good. */
  tokens?: Record<string, string>
  /** Public operations of the test's own. */
  operations?: readonly PublicRead[]
  deadlineMs?: number
  /** What `pg_dump` wrote of an older version's database, which is upgraded. */
  dump?: string
  /** Where to listen, for what has to find the service at its own base address. */
  port?: number
}

/** Starts the real app over HTTP, on a database of its own. */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const database = await openTestDatabase(options.dump)
  const clock = options.clock ?? testClock()
  restartIds()
  const others: TestService[] = []
  const service = await serve(database.server, clock, options, {
    async another() {
      if (!database.url) throw new Error('two instances need PostgreSQL')
      const other = await serve(connectPostgres(database.url, 20), clock, options, {
        another: () => Promise.reject(new Error('ask the first instance')),
        close: closeContext,
      })
      others.push(other)
      return other
    },
    async close(app) {
      await Promise.all(others.map((other) => other.stop()))
      await app.search.stop()
      await app.registry.close()
      await app.http.close()
      await database.drop()
    },
  })
  return service
}

async function serve(
  server: DatabaseServer,
  clock: TestClock,
  options: ServiceOptions,
  hooks: Hooks,
): Promise<TestService> {
  const settings: Settings = {
    ...readSettings({
      SECRETS_KEY,
      BASE_URL: 'http://localhost:3000',
      OPERATOR_SECOND_FACTOR: 'off',
      SEARCH_INDEX: process.env.TEST_SEARCH_INDEX,
    }),
    ...options.settings,
    rateLimits: {
      publicPerMinute: 100_000,
      whoisPerMinute: 100_000,
      registrationPerMinute: 100_000,
      partnerPerMinute: 100_000,
      ...options.settings?.rateLimits,
    },
  }
  const logs: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logs.push(String(chunk))
      done()
    },
  })
  const log = createLog(settings.logLevel, sink)
  const app = await createContext(settings, server, clock, log)
  const service: App = createApp(app, log, {
    adminToken: ADMIN_TOKEN,
    strict: true,
    ...(options.deadlineMs !== undefined && { deadlineMs: options.deadlineMs }),
    ...(options.operations && { operations: options.operations }),
    verifyToken: async (token) => {
      const subject = options.tokens?.[token]
      return subject === undefined ? null : { kind: 'user', subject }
    },
  })
  const baseUrl = await service.server.listen({ port: options.port ?? 0, host: '127.0.0.1' })
  const raw: TestService['send'] = (request) => send(baseUrl, request)

  const admin: TestService['admin'] = (method, path, body) =>
    raw({
      method,
      target: `/api/admin/v1${path}`,
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

  return {
    baseUrl,
    clock,
    app,
    logs,
    admin,
    another: hooks.another,
    send: raw,
    async partner({
      environment = 'sandbox',
      scopes = SCOPES,
      partner_id,
      affiliate = false,
    } = {}) {
      const id =
        partner_id ??
        (
          await admin('POST', '/partners', {
            name: 'Test',
            email: `${randomUUID()}@example.com`,
            affiliate,
          })
        ).body.partner_id
      const made = await admin('POST', `/partners/${id}/credentials`, { environment, scopes })
      if (made.status !== 201) throw new Error(`no credential: ${made.text}`)
      return new PartnerClient(baseUrl, clock.now, made.body)
    },
    async list(environment, csv) {
      const response = await raw({
        method: 'POST',
        target: `/api/admin/v1/listings/import?environment=${environment}`,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'text/csv' },
        body: csv,
      })
      const last = response.text.trim().split('\n').at(-1) ?? '{}'
      return JSON.parse(last).report ?? JSON.parse(last)
    },
    async restart() {
      await service.stop()
      await app.search.stop()
      await app.http.close()
      return await serve(server, clock, options, hooks)
    },
    async stop() {
      await service.stop()
      await hooks.close(app)
    },
  }
}
