import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isLoopbackUrl } from 'domain-marketplace-safe-fetch'
import { pino } from 'pino'
import { type App, createApp } from './app.ts'
import { adminToken, closeContext, openContext } from './context.ts'
import type { Log } from './core/context.ts'
import type { Settings } from './core/settings.ts'
import { BadSetting } from './core/settings.ts'
import { DatabaseUnavailable } from './db/server.ts'
import { hasLiveCredentials } from './domain/partners/credential.ts'
import { type DemoCredential, demoPartner } from './domain/sandbox/demo-partner.ts'
import { listenForAdmin } from './http/admin/own-listener.ts'
import { ADMIN_BASE } from './http/admin/serve.ts'
import { PARTNER_BASE } from './http/partner/serve.ts'
import { systemClock } from './lib/clock.ts'
import { allInterfaces, holdPort } from './lib/hold-port.ts'
import { localAddress } from './lib/local-address.ts'
import { createLog } from './log.ts'
import { databaseProblem } from './open-database.ts'
import type { Telemetry } from './telemetry.ts'

/** Log lines are written once there are so many bytes of them, or so many milliseconds after the last time. */
const LOG_GATHERED = { minLength: 4_096, periodicFlush: 50 }
/** The process stops by then, whatever is still in flight. */
const STOP_WITHIN_MS = 9_500
/** How often, and how far apart, a database that is away is tried once the service listens. */
const DATABASE_TRIES = 10
const DATABASE_PAUSE_MS = 1_000
/** How long the last lines may take to reach whoever reads the log. */
const LOG_WITHIN_MS = 300

type LogDestination = ReturnType<typeof pino.destination>

/** The image and the release have neither this file nor the script. */
const IS_CHECKOUT = existsSync(new URL('../tsconfig.build.json', import.meta.url))
const CLI = IS_CHECKOUT ? 'npm run -s cli --' : 'node dist/cli.js'

/** An admin token with fewer characters works, with a warning; of a live market at a public address, it does not. */
const GUESSABLE = 16
const LEAST_LIVE = 32

/** Serves until a signal stops the process; an error when it cannot start. */
export async function start(read: Settings): Promise<void> {
  const settings = read.host === '::' ? { ...read, host: await allInterfaces() } : read
  try {
    await serve(settings)
  } catch (error) {
    throw databaseProblem(error, settings)
  }
}

async function serve(asked: Settings): Promise<void> {
  // A free port is taken before anything else: all addresses that are given out name it.
  const held = asked.port === 0 ? await holdPort(asked.host) : null
  const settings = held ? atPort(asked, held.port) : asked
  const destination = pino.destination({ fd: 1, sync: false, ...LOG_GATHERED })
  const log = createLog(settings.logLevel, destination)
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 })
  const telemetry = await telemetryOf(settings, log)
  const { app, lock } = await openContext(settings, log)
  const token = adminToken(settings)
  if (
    settings.registry === 'live' &&
    !isLoopbackUrl(settings.baseUrl) &&
    token.length < LEAST_LIVE
  ) {
    throw new BadSetting(
      `ADMIN_TOKEN: must have at least ${LEAST_LIVE} characters with REGISTRY=live`,
    )
  }
  const service = createApp(app, log, { adminToken: token })
  telemetry?.exportMetrics(service.metrics)
  // Responses wait for the welcome: once the service is up, the credential has been printed too.
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  service.server.addHook('onRequest', () => opened)
  await service.server.ready()
  await held?.release()
  await service.server.listen({ port: settings.port, host: settings.host })
  const adminListener = await listenForAdmin(service.server, settings)
  stopOnSignal(
    async () => {
      adminListener?.close()
      await service.stop()
      await telemetry?.stop()
      await closeContext(app)
      lock?.release()
    },
    app.log,
    destination,
  )
  // Made last, since its secret is shown once: a start that fails before must not use it up.
  const demo = settings.demoPartner ? await patiently(() => demoPartner(app)) : null
  const isRisky = app.server.kind === 'embedded' && (await hasLiveCredentials(app.db))
  welcome(settings, service, demo, isRisky)
  open()
  for (const provider of app.payments.all) {
    for (const problem of await provider.problems(settings.baseUrl)) {
      app.log.warn({ provider: provider.id }, problem)
    }
  }
}

/** The service listens by now: a database that is away for a moment does not end it. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || tries === DATABASE_TRIES) throw error
      await pause(DATABASE_PAUSE_MS)
    }
  }
}

function atPort(settings: Settings, port: number): Settings {
  return { ...settings, port, baseUrl: settings.baseUrl.replace(/:0$/, `:${port}`) }
}

/** Loaded where it is used: with no collector the SDK would only take memory. */
async function telemetryOf({ telemetry }: Settings, log: Log): Promise<Telemetry | undefined> {
  if (!telemetry) return undefined
  const { startTelemetry } = await import('./telemetry.ts')
  return startTelemetry(telemetry, systemClock, log)
}

function stopOnSignal(stop: () => Promise<void>, log: Log, destination: LogDestination): void {
  let stopping = false
  const onSignal = async (signal: string) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    setTimeout(() => leave(destination, 1), STOP_WITHIN_MS).unref()
    await stop()
    leave(destination, 0)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

/** Ends the process, also when whoever reads the log has stopped reading: pino would wait for them forever. */
function leave(destination: LogDestination, code: number): void {
  const exit = () => {
    destination.destroy()
    process.exit(code)
  }
  setTimeout(exit, LOG_WITHIN_MS)
  destination.flush(exit)
}

/** What a person at a terminal wants to know, and where the command line finds the service. */
function welcome(
  settings: Settings,
  service: App,
  demo: DemoCredential | null,
  isRisky: boolean,
): void {
  const bound = service.server.server.address() as AddressInfo
  const { baseUrl, admin } = settings
  const local = admin
    ? localAddress(admin.host, admin.port)
    : localAddress(settings.host === 'localhost' ? settings.host : bound.address, bound.port)
  writeFileSync(join(settings.dataDir, 'address'), `${local}\n`, { mode: 0o600 })
  const lines = [
    '',
    '  Domain Marketplace Service',
    '',
    `  Address       ${baseUrl}`,
    `  Partner API   ${baseUrl}${PARTNER_BASE}`,
    ...(admin ? [`  Admin API     ${local}${ADMIN_BASE}`] : []),
    `  Documents     ${baseUrl}/docs`,
    `  Database      ${settings.databaseUrl ? 'PostgreSQL' : `embedded, in ${settings.dataDir} (survives a kill, not a power loss)`}`,
    `  Command line  ${CLI} --help`,
  ]
  if (demo?.secret) {
    lines.push(
      '',
      '  A sandbox credential to start with, shown this once:',
      '',
      `  export SERVICE_URL=${baseUrl}`,
      `  export SERVICE_KEY_ID=${demo.key_id}`,
      `  export SERVICE_SECRET=${demo.secret}`,
    )
  } else if (demo) {
    lines.push(
      '',
      `  Sandbox key id ${demo.key_id}; its secret was shown on the first start.`,
      `  A new one: ${CLI} credential rotate ${demo.key_id}`,
    )
  }
  if (isRisky) {
    lines.push(
      '',
      '  Live credentials on the embedded database: a power loss may cost orders.',
      '  To sell for real, set DATABASE_URL to a PostgreSQL server.',
    )
  }
  if (settings.adminToken !== undefined && settings.adminToken.length < GUESSABLE) {
    lines.push('', `  ADMIN_TOKEN can be guessed: give it ${GUESSABLE} characters at least.`)
  }
  process.stdout.write(`${lines.join('\n')}\n\n`)
}
