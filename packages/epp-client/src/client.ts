import { messageOf, NotPerformed } from './errors.ts'
import type { Greeting } from './greeting.ts'
import type { EppResponse } from './response.ts'
import { type Account, type Request, Session } from './session.ts'
import { Turns } from './turns.ts'

export interface EppClientOptions extends Account {
  /** After so long without a command the server is greeted, so that it keeps the session. */
  keepAliveMs?: number
  /** After so long without a command the session is ended; the next command opens another. */
  idleMs?: number
}

/** How a command is named and ended. */
export interface Call {
  /** The `clTRID`: 3 to 64 characters. */
  reference: string
  signal: AbortSignal
}

/** What the server of the session offers, by namespace. */
export interface Services {
  offers(namespace: string): boolean
}

/** An account at a registry, with one session that is kept, and opened again when it was lost. */
export interface EppClient {
  /** What the server said last; null before the first session. */
  readonly greeting: Greeting | null
  /** Ends the session and opens a new one. Rejects with `OpeningFailed`. */
  reconnect(call: Call): Promise<Greeting>
  /**
   * Sends a command in its turn. Rejects with `NotPerformed`, `ResponseLost` or `CommandRejected`.
   *
   * @param request makes the command, once it is known what the server offers
   */
  send(request: (services: Services) => Request, call: Call): Promise<EppResponse>
  close(): Promise<void>
}

const KEEP_ALIVE_MS = 60_000
const IDLE_MS = 600_000
/** A session that was idle for longer is tried with a greeting before a command is entrusted to it. */
const TRUSTED_MS = 10_000
const GREET_TIMEOUT_MS = 5_000
const LOGOUT_TIMEOUT_MS = 1_000
/** How long closing waits for the command under way. */
const CLOSE_MS = 3_000
const LONGEST_ID = 64

export function createEppClient(options: EppClientOptions): EppClient {
  const turns = new Turns()
  const closing = new AbortController()
  let session: Session | null = null
  let greeting: Greeting | null = null
  let keepAlive: NodeJS.Timeout | undefined
  let usedAt = performance.now()

  async function open({ reference, signal }: Call): Promise<Session> {
    const opened = await Session.open(
      options,
      `${reference.slice(0, LONGEST_ID - 6)}-login`,
      signal,
    )
    session = opened
    greeting = opened.greeting
    return opened
  }

  async function usable(call: Call): Promise<Session> {
    if (session && session.idleMs > TRUSTED_MS) await session.greet(GREET_TIMEOUT_MS)
    return session?.isUsable ? session : await open(call)
  }

  async function inTurn<T>({ signal, reference }: Call, work: (call: Call) => Promise<T>) {
    const stopped = AbortSignal.any([signal, closing.signal])
    let isIn = false
    try {
      return await turns.take(stopped, async () => {
        isIn = true
        clearTimeout(keepAlive)
        usedAt = performance.now()
        try {
          // A command under way is not ended by closing, which waits for it.
          return await work({ signal, reference })
        } finally {
          scheduleKeepAlive()
        }
      })
    } catch (error) {
      throw isIn ? error : new NotPerformed(messageOf(error))
    }
  }

  function scheduleKeepAlive(): void {
    if (!session?.isUsable || closing.signal.aborted) return
    keepAlive = setTimeout(() => {
      const greeted = turns.take(closing.signal, async () => {
        const isIdle = performance.now() - usedAt >= (options.idleMs ?? IDLE_MS)
        if (isIdle) await session?.logOut(LOGOUT_TIMEOUT_MS)
        else await session?.greet(GREET_TIMEOUT_MS)
        scheduleKeepAlive()
      })
      greeted.catch(() => {})
    }, options.keepAliveMs ?? KEEP_ALIVE_MS)
    keepAlive.unref()
  }

  return {
    get greeting() {
      return greeting
    },
    reconnect: (call) =>
      inTurn(call, async () => {
        await session?.logOut(LOGOUT_TIMEOUT_MS)
        session = null
        return (await open(call)).greeting
      }),
    send: (request, call) =>
      inTurn(call, async () => {
        const current = await usable(call)
        const { reference, signal } = call
        return await current.execute(request(current), reference, options.commandTimeoutMs, signal)
      }),
    async close() {
      closing.abort(new Error('The connection is being closed.'))
      clearTimeout(keepAlive)
      const end = async () => await session?.logOut(LOGOUT_TIMEOUT_MS)
      await turns.take(AbortSignal.timeout(CLOSE_MS), end).catch(() => session?.destroy())
    },
  }
}
