import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, ConnectionError } from '../errors.ts'
import { EVENT_TYPES } from '../generated/event-types.ts'
import { PartnerClient } from '../partner.ts'
import type { Output } from '../types.ts'
import { signWebhook } from '../webhooks.ts'
import { ADDRESS_OPTIONS, type Credential, credentialOf, parse, Usage } from './command.ts'

const HELP = `marketplace listen --forward URL

Forwards your sandbox's events to a local address, signed as the service signs its deliveries.

  --forward URL      where to send them, such as http://localhost:4000/hook
  --from WHERE       start: the whole history; now: from the newest on; an event id: after it.
                     Default: where the last run stopped, and now on the first
  --only TYPES       types of events, with commas between: order.recorded,order.settled
  --poll-ms N        how often to ask for news. Default: 1000
  --state FILE       where the place and the secret are kept. Default: ~/.local/state/…
  --base-url, --key-id   instead of SERVICE_URL and SERVICE_KEY_ID; SERVICE_SECRET is read from there alone
`

const ANSWER_WITHIN_MS = 5_000
const LONGEST_WAIT_MS = 30_000
const LONGEST_POLL_MS = 3_600_000

type HistoryEvent = Output<'list_events'>['events'][number]

/** What outlives a run, so that the receiver keeps its secret and misses nothing. */
interface State {
  secret: string
  /** The last event that was forwarded; null before the first. */
  afterId: string | null
}

/** Runs until it is stopped. */
export async function listen(args: string[]): Promise<number> {
  const values = parse(args, {
    ...ADDRESS_OPTIONS,
    forward: { type: 'string' },
    from: { type: 'string' },
    only: { type: 'string' },
    'poll-ms': { type: 'string', default: '1000' },
    state: { type: 'string' },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const { forward } = values
  if (!forward || !/^https?:/.test(forward) || !URL.canParse(forward)) {
    throw new Usage('--forward must be an address such as http://localhost:4000/hook.')
  }
  const pollMs = Number(values['poll-ms'])
  if (!Number.isInteger(pollMs) || pollMs < 100 || pollMs > LONGEST_POLL_MS) {
    throw new Usage(`--poll-ms must be from 100 to ${LONGEST_POLL_MS}, which is an hour.`)
  }
  const only = values.only?.split(',')
  const unknown = only?.find((type) => !EVENT_TYPES.includes(type))
  if (unknown !== undefined) {
    throw new Usage(`--only: there is no event ${unknown}, but there is ${EVENT_TYPES.join(', ')}.`)
  }
  const credential = credentialOf(values)
  const market = new PartnerClient(credential)
  const file = values.state ?? stateFile(credential)
  const state = await startingPlace(market, file, values.from)
  const stopping = stopSignal()

  say(`Forwarding ${credential.keyId} of ${credential.baseUrl} to ${forward}`)
  say(`Webhook secret: ${state.secret}`)
  say(state.afterId ? `After ${state.afterId}. Ready.` : 'From the first event on. Ready.')
  try {
    for (;;) {
      for await (const event of news(market, state, stopping)) {
        const isWanted = !only || only.includes(event.type)
        const said = isWanted && (await deliver(forward, state, event, stopping))
        state.afterId = event.id
        keep(file, state)
        // Once it is kept: what was said to be delivered is not delivered again.
        if (said) say(said)
      }
      await sleep(pollMs, undefined, { signal: stopping })
    }
  } catch (error) {
    if (!stopping.aborted) throw error
    say('Stopped. The next run goes on from here.')
    return 0
  }
}

/** What has come since; waits out a service that is away. */
async function* news(
  market: PartnerClient,
  state: State,
  signal: AbortSignal,
): AsyncGenerator<HistoryEvent> {
  for (let waitMs = 1_000; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      const query = state.afterId ? { after_id: state.afterId } : {}
      yield* market.events.each({ ...query, limit: 100 }, { signal })
      return
    } catch (error) {
      if (signal.aborted) throw error
      if (error instanceof ApiError && error.code === 'invalid_cursor') {
        say('The sandbox was reset: starting from its first event.')
        state.afterId = null
        continue
      }
      // A 200 that is no JSON is a page that something put in the service's place for now.
      const isAway =
        error instanceof ConnectionError ||
        (error instanceof ApiError && (error.status >= 429 || error.status === 200))
      if (!isAway) throw error
      say(`The service is away (${(error as Error).message}). Trying again.`)
      await sleep(waitMs, undefined, { signal })
    }
  }
}

/**
 * One delivery; answers what to say of it. While nobody listens there it waits: an event is not lost because a
 * server restarts.
 */
async function deliver(
  forward: string,
  { secret }: State,
  event: HistoryEvent,
  signal: AbortSignal,
): Promise<string> {
  const body = JSON.stringify(event)
  for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const startedAt = performance.now()
    try {
      const response = await fetch(forward, {
        method: 'POST',
        headers: await signWebhook(secret, event, body),
        body,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
      })
      await response.body?.cancel()
      const ms = Math.round(performance.now() - startedAt)
      return `${event.created_at}  ${event.type.padEnd(27)} ${event.id}  [${response.status}] ${ms} ms`
    } catch (error) {
      if (signal.aborted) throw error
      const { code } = ((error as Error).cause ?? {}) as { code?: string }
      if (code !== 'ECONNREFUSED') {
        const what =
          (error as Error).name === 'TimeoutError'
            ? 'no response within 5 s'
            : (code ?? String(error))
        return `${event.created_at}  ${event.type.padEnd(27)} ${event.id}  [${what}]`
      }
      say(`${event.id} waits: nobody listens at ${forward}.`)
      await sleep(waitMs, undefined, { signal })
    }
  }
}

async function startingPlace(
  market: PartnerClient,
  file: string,
  from: string | undefined,
): Promise<State> {
  const known = read(file)
  const secret = known?.secret ?? `whsec_${randomBytes(24).toString('base64')}`
  let afterId = from === undefined ? (known?.afterId ?? null) : null
  if (from === 'now' || (from === undefined && !known)) {
    for await (const { id } of market.events.each({ limit: 100 })) afterId = id
  } else if (from !== undefined && from !== 'start') {
    await market.events.list({ after_id: from, limit: 1 })
    afterId = from
  }
  const state = { secret, afterId }
  keep(file, state)
  return state
}

function stateFile({ keyId, baseUrl }: Credential): string {
  const folder = process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state')
  const name = `${new URL(baseUrl).host}-${keyId}`.replace(/[^\w.-]/g, '_')
  return join(folder, 'domain-marketplace', `listen-${name}.json`)
}

function read(file: string): State | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
  try {
    const { secret, afterId } = JSON.parse(text) as State
    if (typeof secret === 'string') return { secret, afterId: afterId ?? null }
  } catch {
    // Falls through to the message, which says what to do.
  }
  throw new Usage(`${file} does not hold what listen keeps there: remove it.`)
}

/** The secret opens nothing but the local receiver; others on the machine need not read it all the same. */
function keep(file: string, state: State): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, `${JSON.stringify(state)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  return stop.signal
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
