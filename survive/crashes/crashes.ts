import { setTimeout as pause } from 'node:timers/promises'
import { openEmbedded } from '../../src/db/embedded.ts'
import { connectPostgres } from '../../src/db/postgres.ts'
import type { DatabaseServer } from '../../src/db/server.ts'
import { type PartnerClient, type Result, send } from '../../test/support/client.ts'
import { findHalfDone } from '../../test/support/half-done.ts'
import {
  adminCall,
  clientFor,
  emptyDatabase,
  newFolder,
  printedCredential,
  type Running,
  start,
} from '../../test/support/process.ts'
import { proxyTo, startProxy, through } from '../../test/support/proxy.ts'
import { eventually, startReceiver } from '../../test/support/receiver.ts'
import { hold, type Proof, Skipped, type Trial } from '../proof.ts'
import { importNames } from '../support/market.ts'
import { type Journal, newJournal, type Sent, work } from './load.ts'
import { killedMigrations } from './migrations.ts'
import { MOMENTS, type Moment } from './moments.ts'

const WORKERS = 6
/** Then everything is let come to its end, and the next rounds start afresh. */
const ROUNDS_A_STAGE = 30
const DOMAINS_A_ROUND = 400
const ADMIN_TOKEN = 'the-admin-token-of-this-trial'
const SCOPES = ['search', 'embed', 'buy', 'broker', 'refer', 'report', 'webhook']
/** A moment that has not come by then is given up, and the service killed all the same. */
const GIVE_UP_MS = 6_000
/** A lease, a retry, and time to do it. */
const QUIET_WITHIN_MS = 60_000
/** By then what a killed process had under way is taken over and marked: a lease of 15 s, and some. */
const LEASES_END_MS = 18_000

type Kind = 'embedded' | 'postgresql'

export const CRASHES: readonly Proof[] = [
  rounds('embedded'),
  rounds('postgresql'),
  killedMigrations('embedded'),
  killedMigrations('postgresql'),
]

function rounds(kind: Kind): Proof {
  return {
    name: `kill -9 under a mixed load, ${kind}`,
    async run(trial) {
      const caught = new Map<string, number>()
      const count = trial.size({ quick: 2, ci: 15, release: 150 })
      const moments = MOMENTS.filter(({ onPostgres }) => !onPostgres || kind === 'postgresql')
      const figures = { writes: 0, unanswered: 0, orders: 0, events: 0, replays: 0 }
      let stage = await openStage(kind, trial, figures)
      for (let round = 0; round < count; round++) {
        if (round > 0 && round % ROUNDS_A_STAGE === 0) {
          await stage.settle()
          trial.say(`${round} rounds: ${JSON.stringify(figures)}`)
          stage = await openStage(kind, trial, figures)
        }
        const moment = moments[round % moments.length] as Moment
        const reached = await stage.round(moment)
        const name = reached ? moment.name : `${moment.name} (did not come)`
        caught.set(name, (caught.get(name) ?? 0) + 1)
      }
      await stage.settle()
      for (const [name, times] of caught) trial.say(`${times} times ${name}`)
      return (
        `${count} rounds, ${figures.writes} writes, ${figures.unanswered} of them unanswered when it ` +
        `died, ${figures.orders} orders, ${figures.events} events, ${figures.replays} replays refused`
      )
    },
  }
}

interface Figures {
  writes: number
  unanswered: number
  orders: number
  events: number
  replays: number
}

/** A service with what stands around it, over some rounds. */
async function openStage(kind: Kind, trial: Trial, figures: Figures) {
  if (kind === 'postgresql' && !trial.postgres) throw new Skipped('no TEST_DATABASE_URL')
  const { random } = trial
  const folder = await newFolder()
  const database = kind === 'postgresql' ? await emptyDatabase() : undefined
  const databaseProxy = database && (await proxyTo(database.url))
  const receiver = await startReceiver()
  let service: Running
  const http = await startProxy(() => ({
    host: 'localhost',
    port: Number(new URL(service.baseUrl).port),
  }))
  const behindProxy = { baseUrl: `http://127.0.0.1:${http.port}` }
  const variables = {
    DATA_DIR: folder,
    ADMIN_TOKEN,
    LOG_LEVEL: 'error',
    RATE_LIMIT_PARTNER: '10000000',
    RATE_LIMIT_PUBLIC: '10000000',
    ...(database && databaseProxy && { DATABASE_URL: through(databaseProxy, database.url) }),
  }
  const open = (): Promise<DatabaseServer> | DatabaseServer =>
    database ? connectPostgres(database.url, 2) : openEmbedded(`${folder}/database`)

  service = await start(variables)
  const demo = printedCredential(service.stdout())
  if (!demo) throw new Error('the first start printed no credential')
  const second = await secondPartner(service)
  const credentials = [{ ...demo, partner_id: '' }, second]
  const clientsOf = (at: { baseUrl: string }) =>
    credentials.map((credential) => clientFor(at, credential))
  for (const client of clientsOf(service)) {
    const secret = 'sixteen-or-more-characters'
    mustBe(await client.put('/api/partner/webhooks', { url: receiver.url, secret }), 200)
  }

  const acknowledged = new Map<string, string>()
  const tried = new Set<string>()
  let roundNumber = 0
  let startedAt = 0

  async function round(moment: Moment): Promise<boolean> {
    roundNumber += 1
    const domains = await importNames(service, ADMIN_TOKEN, `r${roundNumber}`, DOMAINS_A_ROUND)
    receiver.answer(200)
    let died = false
    let killing: Promise<unknown> | undefined
    const kill = () => {
      died = true
      killing ??= service.kill()
    }
    const stopped = service.ended.then(() => true)
    moment.arm({ random, http, database: databaseProxy, receiver, kill })
    const journal = newJournal()
    const clients = clientsOf(behindProxy)
    const workers = Array.from({ length: WORKERS }, () =>
      work(behindProxy.baseUrl, clients, domains, journal, random),
    )
    await Promise.race([stopped, pause(GIVE_UP_MS)])
    const reached = died
    if (!died) kill()
    await killing
    await Promise.all(workers)
    http.watch({})
    databaseProxy?.watch({})
    receiver.answer(200)

    // As the crash left it, before a service could mend anything.
    await expectWhole()
    service = await start(variables)
    startedAt = Date.now()
    await expectRemembered(journal)
    return reached
  }

  async function expectWhole(): Promise<void> {
    const server = await open()
    try {
      const found = await findHalfDone(server)
      hold(found.length === 0, `after the crash there is ${found.join('; ')}`)
      const { rows } = await server.query(
        `select event_id from webhook_deliveries where status = 'delivered'`,
        [],
      )
      const got = new Set(receiver.got.map(({ event }) => event.id))
      for (const { event_id } of rows as { event_id: string }[]) {
        hold(got.has(event_id), `${event_id} is marked as delivered, and nobody got it`)
      }
    } finally {
      await server.close()
    }
  }

  /** Every acknowledged write stands, and every other one can be repeated. */
  async function expectRemembered(journal: Journal): Promise<void> {
    const clients = clientsOf(service)
    const repeat = ({ partner, path, body, key }: Sent) =>
      (clients[partner] as PartnerClient).post(path, body, { key })
    for (const { target, headers } of journal.spent) {
      const replay = await send(service.baseUrl, { method: 'GET', target, headers })
      hold(replay.body?.error?.code === 'replay_detected', `a replay was answered ${replay.text}`)
      figures.replays += 1
    }
    for (const attempt of journal.sent) {
      figures.writes += 1
      if (attempt.answer === undefined) {
        figures.unanswered += 1
        attempt.answer = await repeat(attempt)
        hold(attempt.answer.status < 500, `a repeat was answered ${attempt.answer.text}`)
      }
      if (attempt.answer.status >= 300) continue
      const again = await repeat(attempt)
      hold(
        again.status === attempt.answer.status && again.text === attempt.answer.text,
        `${attempt.path} was answered ${attempt.answer.text}, and then ${again.text}`,
      )
      hold(again.headers['idempotent-replayed'] === 'true', `${attempt.path} took effect again`)
      if (attempt.path === '/orders') {
        acknowledged.set(again.body.public_id, attempt.body)
      }
    }
    for (const { path, body } of journal.sent) {
      if (path === '/orders') tried.add(JSON.parse(body).external_payment_ref)
    }
    for (const id of journal.receipts) acknowledged.set(id, 'a receipt')
  }

  /** Lets everything come to its end, and compares what the partners see with what they were told. */
  async function settle(): Promise<void> {
    const pending = `select count(*)::int as left from webhook_deliveries where status = 'pending'`
    const clients = clientsOf(service)
    const seen = new Map<string, Result['body']>()
    const events = new Set<string>()
    for (const client of clients) {
      for (const order of await walk(client, 'orders')) seen.set(order.public_id, order)
      for (const { id } of await walk(client, 'events')) events.add(id)
    }
    const missing = () => {
      const got = new Set(receiver.got.map(({ event }) => event.id))
      return [...events].filter((id) => !got.has(id))
    }
    await eventually(
      () => missing().length === 0,
      QUIET_WITHIN_MS,
      () => `${missing().length} events reached nobody`,
    )
    for (const id of acknowledged.keys()) hold(seen.has(id), `${id} was acknowledged, and is lost`)
    for (const [id, order] of seen) {
      const known = order.external_payment_ref === null || tried.has(order.external_payment_ref)
      hold(known, `${id} is an order that nobody asked for`)
    }
    await pause(Math.max(0, startedAt + LEASES_END_MS - Date.now()))
    hold((await service.stop()).code === 0, 'the service did not stop in order')
    const server = await open()
    try {
      const found = await findHalfDone(server)
      hold(found.length === 0, `in the end there is ${found.join('; ')}`)
      const { rows } = await server.query(pending, [])
      hold(rows[0]?.left === 0, `${Number(rows[0]?.left)} deliveries are left in progress`)
    } finally {
      await server.close()
    }
    http.close()
    databaseProxy?.close()
    await database?.drop()
    figures.orders += seen.size
    figures.events += events.size
  }

  return { round, settle }
}

async function secondPartner(service: Running) {
  const partner = { name: 'Second', email: 'second@example.com' }
  const made = mustBe(await adminCall(service, ADMIN_TOKEN, 'POST', '/partners', partner), 201)
  const id: string = made.body.partner_id
  const wanted = { environment: 'sandbox', scopes: SCOPES }
  const path = `/partners/${id}/credentials`
  return mustBe(await adminCall(service, ADMIN_TOKEN, 'POST', path, wanted), 201).body as {
    key_id: string
    secret: string
    partner_id: string
  }
}

async function walk(client: PartnerClient, list: 'orders' | 'events'): Promise<Result['body'][]> {
  const all: Result['body'][] = []
  const name = list === 'orders' ? 'cursor' : 'after_id'
  for (let cursor = ''; ; ) {
    const { body } = mustBe(await client.get(`/${list}?${cursor}limit=100`), 200)
    all.push(...body[list])
    if (!body.next_cursor) return all
    cursor = `${name}=${encodeURIComponent(body.next_cursor)}&`
  }
}

function mustBe(response: Result, status: number): Result {
  hold(
    response.status === status,
    `answered ${response.status} instead of ${status}: ${response.text}`,
  )
  return response
}
