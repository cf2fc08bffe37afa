import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { encodeFrame, FrameReader } from '../../src/frames.ts'
import { DOMAIN, EPP, FEE, HOST, RGP, SEC_DNS } from '../../src/namespaces.ts'
import { childOf, childrenOf, element, parseXml, textIn, type XmlElement } from '../../src/xml.ts'
import { CertificateAuthority } from './certificates.ts'
import { documentOf, responseFrame } from './markup.ts'
import { type Outcome, TestRegistry } from './registry.ts'
import { schemaProblems } from './schemas.ts'

/** What goes wrong with a frame. `before` and `after` are those of the command's effect. */
export type Trouble =
  | 'drop_before'
  | 'drop_after'
  | 'silence_before'
  | 'silence_after'
  | 'half_after'
  | 'garbage_after'
  | 'not_xml_after'
  | 'doctype_after'
  | 'wrong_id_after'
  | 'no_id_after'
  | 'huge_after'
  /** `readsNone`: as of a frame that it cannot read, so that it does not know the `clTRID`. */
  | { code: number; reason?: string; readsNone?: true }

/** What goes wrong with a command, named as in EPP; `greeting` and `hello` are others. */
export interface Fault {
  on: string | readonly string[]
  /** Only a frame in which this stands, such as a name. */
  about?: string
  does: Trouble
}

interface Options {
  /** False: without TLS. */
  tls?: false
  /** Whether the client has to show a certificate of the authority. */
  asksForCertificate?: boolean
  /** Hosts that its certificate is for. */
  certificateFor?: readonly string[]
  /** The common name of its certificate. */
  certificateName?: string
  /** It has signed its certificate itself. */
  isSelfSigned?: boolean
  objects?: readonly string[]
  extensions?: readonly string[]
}

const USER = 'registrar-1'
const PASSWORD = 'p4ss&<word>'

/** A registry that speaks EPP (RFC 5730 to 5734) and does what a test tells it to. */
export class EppTestServer extends TestRegistry {
  readonly user = USER
  password = PASSWORD
  /** What happens to the next frames of a kind, each once. */
  readonly faults: Fault[] = []
  /** Every frame that was received, and every whole one that was sent as EPP. */
  readonly received: string[] = []
  readonly sent: string[] = []
  /** Names of the commands, with their `clTRID`s, as they came. */
  readonly commands: string[] = []
  logins = 0
  readonly authority = new CertificateAuthority()
  readonly #options: Options
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #namespaces: { objects: readonly string[]; extensions: readonly string[] }
  port = 0

  constructor(options: Options = {}) {
    super()
    this.#options = options
    const {
      objects = [DOMAIN, HOST],
      extensions = [RGP, SEC_DNS, FEE, 'urn:example:unknown-1.0'],
    } = options
    this.#namespaces = { objects, extensions }
    const serve = (socket: Socket) => this.#serve(socket)
    this.#server =
      options.tls === false
        ? createServer(serve)
        : createTlsServer(
            {
              ...(options.isSelfSigned
                ? this.authority.own
                : this.authority.issue(
                    options.certificateName ?? 'epp.test',
                    options.certificateFor ?? ['localhost', '127.0.0.1'],
                  )),
              ca: this.authority.ca,
              requestCert: true,
              rejectUnauthorized: options.asksForCertificate ?? true,
              // So that a client hears of a certificate that is not taken while it shakes hands.
              ...(options.asksForCertificate === true && { maxVersion: 'TLSv1.2' as const }),
            },
            serve,
          )
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(this.port, '127.0.0.1', resolve))
    this.port = (this.#server.address() as AddressInfo).port
    return this
  }

  /** What a client needs to sign in, as it is configured. */
  get access() {
    const { user, password, port } = this
    const tls =
      this.#options.tls === false
        ? (false as const)
        : { ca: this.authority.ca, ...this.authority.issue('client') }
    return { host: '127.0.0.1', port, user, password, tls }
  }

  get sessions(): number {
    return this.#sockets.size
  }

  dropAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async stop(): Promise<void> {
    this.dropAll()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** What is wrong with all frames so far, by their schemas. */
  async problems(): Promise<string[]> {
    return await schemaProblems([...this.received, ...this.sent])
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => {})
    const reader = new FrameReader(1_000_000)
    const state = { user: null as string | null }
    this.#answer(socket, this.#faultOn('greeting'), null, () => this.#greeting())
    socket.on('data', (chunk) => {
      for (const frame of reader.push(chunk)) this.#take(socket, state, frame)
    })
  }

  #take(socket: Socket, state: { user: string | null }, frame: string): void {
    this.received.push(frame)
    const document = parseXml(frame)
    if (childOf(document, EPP, 'hello')) {
      this.commands.push('hello')
      return this.#answer(socket, this.#faultOn('hello'), null, () => this.#greeting())
    }
    const command = childOf(document, EPP, 'command')
    const [verb] = command?.children ?? []
    if (!command || !verb) throw new Error(`no command: ${frame}`)
    const id = textIn(command, EPP, 'clTRID')
    const name = `${verb.children[0]?.namespace === HOST ? 'host:' : ''}${verb.name}`
    this.commands.push(`${name} ${id}`)
    this.#answer(socket, this.#faultOn(name, frame), id, (otherId) => {
      const outcome = this.#execute(state, verb, childOf(command, EPP, 'extension'))
      return responseFrame(outcome, otherId)
    })
    if (verb.name === 'logout') socket.end()
  }

  #execute(
    state: { user: string | null },
    verb: XmlElement,
    extension: XmlElement | null,
  ): Outcome {
    if (verb.name === 'login') return this.#logIn(state, verb)
    if (verb.name === 'logout') return { code: 1500 }
    if (state.user === null) return { code: 2002 }
    const [object = null] = verb.children
    return this.handle({ user: state.user, command: verb, object, extension })
  }

  #logIn(state: { user: string | null }, login: XmlElement): Outcome {
    const services = childOf(login, EPP, 'svcs')
    const named = [
      ...childrenOf(services, EPP, 'objURI'),
      ...childrenOf(childOf(services, EPP, 'svcExtension'), EPP, 'extURI'),
    ]
    const { objects, extensions } = this.#namespaces
    const unknown = named.find(({ text }) => ![...objects, ...extensions].includes(text))
    if (unknown) return { code: 2307, reason: unknown.text }
    const user = textIn(login, EPP, 'clID')
    if (user !== this.user || textIn(login, EPP, 'pw') !== this.password) return { code: 2200 }
    state.user = user
    this.logins++
    return { code: 1000 }
  }

  #faultOn(name: string, frame = ''): Trouble | null {
    const index = this.faults.findIndex(
      ({ on, about = '' }) => [on].flat().includes(name) && frame.includes(about),
    )
    return index < 0 ? null : (this.faults.splice(index, 1)[0]?.does ?? null)
  }

  /** Makes what was asked for happen, unless it is to go wrong before. */
  #answer(
    socket: Socket,
    trouble: Trouble | null,
    id: string | null,
    make: (id: string | null) => string,
  ): void {
    if (trouble === 'silence_before') return
    if (trouble === 'drop_before') return void socket.destroy()
    if (typeof trouble === 'object' && trouble !== null) {
      return this.#send(socket, responseFrame(trouble, trouble.readsNone ? null : id))
    }
    const frame = make(
      trouble === 'wrong_id_after' ? 'another-command' : trouble === 'no_id_after' ? null : id,
    )
    switch (trouble) {
      case 'silence_after':
        return
      case 'drop_after':
        return void socket.destroy()
      case 'half_after':
        return void socket.end(encodeFrame(frame).subarray(0, 60))
      case 'garbage_after':
        return void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')
      case 'not_xml_after':
        return void socket.write(encodeFrame('<epp><response>'))
      case 'doctype_after':
        return void socket.write(
          encodeFrame(frame.replace('?>', '?><!DOCTYPE epp [<!ENTITY a "aaaa">]>')),
        )
      case 'huge_after':
        return void socket.write(Buffer.from([0x7f, 0xff, 0xff, 0xff, 0x3c]))
      default:
        this.#send(socket, frame)
    }
  }

  #send(socket: Socket, frame: string): void {
    this.sent.push(frame)
    socket.write(encodeFrame(frame))
  }

  #greeting(): string {
    const { objects, extensions } = this.#namespaces
    const uris = (name: string, all: readonly string[]) => all.map((uri) => element(name, {}, uri))
    const statement = element(
      'statement',
      {},
      element('purpose', {}, element('prov')),
      element('recipient', {}, element('ours')),
      element('retention', {}, element('stated')),
    )
    const greeting = element(
      'greeting',
      {},
      element('svID', {}, 'Test registry'),
      element('svDate', {}, new Date().toISOString()),
      element(
        'svcMenu',
        {},
        element('version', {}, '1.0'),
        element('lang', {}, 'en'),
        uris('objURI', objects),
        extensions.length > 0 ? element('svcExtension', {}, uris('extURI', extensions)) : null,
      ),
      element('dcp', {}, element('access', {}, element('all')), statement),
    )
    return documentOf(greeting)
  }
}
