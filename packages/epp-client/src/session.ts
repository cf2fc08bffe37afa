import {
  BadFrame,
  CommandRejected,
  isTlsError,
  messageOf,
  NotPerformed,
  OpeningFailed,
  ResponseLost,
} from './errors.ts'
import { type Greeting, readGreeting } from './greeting.ts'
import { DOMAIN, EPP, EXTENSIONS, OBJECTS } from './namespaces.ts'
import { assertSuccess, type EppResponse, readResponse } from './response.ts'
import { openWire, type Target, type Wire } from './wire.ts'
import { element, type Markup, parseXml } from './xml.ts'

export interface Account extends Target {
  user: string
  password: string
  /** For connection, TLS, greeting and login together. */
  loginTimeoutMs: number
  /** For each command. */
  commandTimeoutMs: number
}

/** What is sent: the element of the command, and what extends it. */
export interface Request {
  command: Markup
  extension?: Markup | null
}

/** A connection that is signed in. Commands go one after the other: the caller sees to that. */
export class Session {
  readonly greeting: Greeting
  readonly #wire: Wire
  #usedAt = performance.now()

  private constructor(wire: Wire, greeting: Greeting) {
    this.#wire = wire
    this.greeting = greeting
  }

  /** Connects and signs in. Rejects with `OpeningFailed`. */
  static async open(account: Account, reference: string, stopped: AbortSignal): Promise<Session> {
    return await within(account.loginTimeoutMs, stopped, async (signal) => {
      const wire = await openWire(account, signal)
      try {
        const session = new Session(wire, await receiveGreeting(wire, signal))
        await session.#logIn(account, reference, signal)
        return session
      } catch (error) {
        wire.destroy()
        throw error
      }
    })
  }

  get isUsable(): boolean {
    return this.#wire.isUsable
  }

  /** How long nothing came from the server, in milliseconds. */
  get idleMs(): number {
    return performance.now() - this.#usedAt
  }

  offers(namespace: string): boolean {
    const { objects, extensions } = this.greeting
    return objects.includes(namespace) || extensions.includes(namespace)
  }

  /**
   * Sends a command and waits for its response. Rejects with `NotPerformed`, `ResponseLost` or
   * `CommandRejected`; after a lost response the session is over.
   *
   * @param transactionId the `clTRID`, which the response has to repeat, unless it rejects the command
   */
  async execute(
    { command, extension }: Request,
    transactionId: string,
    timeoutMs: number,
    stopped: AbortSignal | null,
  ): Promise<EppResponse> {
    const text = frameOf(
      element(
        'command',
        {},
        command,
        extension ? element('extension', {}, extension) : null,
        element('clTRID', {}, transactionId),
      ),
    )
    if (stopped?.aborted) throw new NotPerformed(messageOf(stopped.reason))
    if (!this.isUsable) throw new NotPerformed('The connection was lost before the command.')
    this.#wire.send(text)
    const response = await this.#receiveResponse(transactionId, timeoutMs, stopped)
    const isEnding = response.code === 1500 || (response.code >= 2500 && response.code <= 2502)
    if (isEnding) this.#wire.destroy()
    assertSuccess(response)
    return response
  }

  /**
   * Asks for the greeting again, which keeps the session (RFC 5730, section 2.3). One that does not respond is
   * over.
   */
  async greet(timeoutMs: number): Promise<void> {
    if (!this.isUsable) return
    try {
      this.#wire.send(frameOf(element('hello')))
      await within(timeoutMs, null, (signal) => receiveGreeting(this.#wire, signal))
      this.#usedAt = performance.now()
    } catch {
      this.#wire.destroy()
    }
  }

  async logOut(timeoutMs: number): Promise<void> {
    if (this.isUsable) {
      const request = { command: element('logout') }
      await this.execute(request, 'logout', timeoutMs, null).catch(() => {})
    }
    this.destroy()
  }

  destroy(): void {
    this.#wire.destroy()
  }

  async #receiveResponse(
    transactionId: string,
    timeoutMs: number,
    stopped: AbortSignal | null,
  ): Promise<EppResponse> {
    try {
      const frame = await within(timeoutMs, stopped, (signal) => this.#wire.receive(signal))
      const response = readResponse(parseXml(frame))
      const { code, clientTransactionId: id } = response
      // A server that cannot read a command rejects it without its id: it did not come so far.
      if (id !== transactionId && (id !== null || code < 2000)) {
        throw new BadFrame(`The server responded to another command (clTRID ${id ?? 'none'}).`)
      }
      this.#usedAt = performance.now()
      return response
    } catch (error) {
      this.#wire.destroy()
      throw new ResponseLost(messageOf(error), { cause: error })
    }
  }

  async #logIn(account: Account, reference: string, signal: AbortSignal): Promise<void> {
    try {
      const command = loginCommand(account, this.greeting)
      await this.execute({ command }, reference, account.loginTimeoutMs, signal)
    } catch (error) {
      const reason = error instanceof CommandRejected && error.reason ? `: ${error.reason}` : ''
      // Servers repeat what breaks their schema, such as a password of more than 16 characters.
      const message = `${messageOf(error)}${reason}`.replaceAll(account.password, '…')
      throw new OpeningFailed('login', message)
    }
  }
}

async function receiveGreeting(wire: Wire, signal: AbortSignal): Promise<Greeting> {
  try {
    const greeting = readGreeting(parseXml(await wire.receive(signal)))
    if (!greeting.versions.includes('1.0')) throw new BadFrame('The server has no EPP 1.0.')
    if (!greeting.objects.includes(DOMAIN)) throw new BadFrame('The server offers no domains.')
    return greeting
  } catch (error) {
    // With TLS 1.3 a server rejects the client's certificate after the handshake.
    throw new OpeningFailed(isTlsError(error) ? 'tls' : 'greeting', messageOf(error))
  }
}

/** Names what both sides have, and no more (RFC 5730, section 2.9.1.1). */
function loginCommand({ user, password }: Account, greeting: Greeting): Markup {
  const both = (known: readonly string[], offered: readonly string[]) =>
    known.filter((namespace) => offered.includes(namespace))
  const extensions = both(EXTENSIONS, greeting.extensions)
  const language = greeting.languages.includes('en') ? 'en' : (greeting.languages[0] ?? 'en')
  return element(
    'login',
    {},
    element('clID', {}, user),
    element('pw', {}, password),
    element('options', {}, element('version', {}, '1.0'), element('lang', {}, language)),
    element(
      'svcs',
      {},
      both(OBJECTS, greeting.objects).map((uri) => element('objURI', {}, uri)),
      extensions.length === 0
        ? null
        : element(
            'svcExtension',
            {},
            extensions.map((uri) => element('extURI', {}, uri)),
          ),
    ),
  )
}

function frameOf(content: Markup): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('epp', { xmlns: EPP }, content).xml}`
}

/** Ends the work's signal when its time is over, with a reason that says so. */
async function within<T>(
  milliseconds: number,
  stopped: AbortSignal | null,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const late = () => controller.abort(new Error(`No response within ${milliseconds} ms.`))
  const timer = setTimeout(late, milliseconds)
  const { signal } = controller
  try {
    return await work(stopped ? AbortSignal.any([stopped, signal]) : signal)
  } finally {
    clearTimeout(timer)
  }
}
