import { createSocket, type Socket } from 'node:dgram'
import { type Answer, decode, encode, type Packet } from 'dns-packet'

/** A name server with the records that a test gives it. */
export class DnsServer {
  /** What a TXT record holds: the strings of each record, by name. */
  readonly txt = new Map<string, string[][]>()
  readonly ns = new Map<string, string[]>()
  readonly cname = new Map<string, string>()
  /** Names that it fails on. */
  readonly failing = new Set<string>()
  /** Names that it says nothing to. */
  readonly silent = new Set<string>()
  asked = 0
  readonly #socket: Socket = createSocket('udp4')

  static async start(): Promise<DnsServer> {
    const server = new DnsServer()
    await new Promise<void>((resolve) => {
      server.#socket.bind(0, '127.0.0.1', resolve)
    })
    server.#socket.on('message', (message, { port, address }) => {
      const answer = server.#answer(decode(message))
      if (answer) server.#socket.send(encode(answer), port, address)
    })
    return server
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#socket.close(resolve)
    })
  }

  #answer({ id, questions = [] }: Packet): Packet | null {
    this.asked += 1
    const [question] = questions
    const name = question?.name.toLowerCase() ?? ''
    if (!question || this.silent.has(name)) return null
    const fails = this.failing.has(name)
    const answers = fails ? [] : this.#records(question.type, name)
    const isKnown = [this.txt, this.ns, this.cname].some((records) => records.has(name))
    const rcode = fails ? 2 : isKnown ? 0 : 3
    return { type: 'response', id: id ?? 0, flags: 0x8180 | rcode, questions, answers }
  }

  #records(type: string, name: string): Answer[] {
    const alias = this.cname.get(name)
    if (alias !== undefined) {
      // It does not recurse: the client follows the alias.
      return type === 'CNAME' ? [{ type: 'CNAME', name, data: alias }] : []
    }
    if (type === 'TXT') {
      return (this.txt.get(name) ?? []).map((strings) => ({ type: 'TXT', name, data: strings }))
    }
    if (type === 'NS') return (this.ns.get(name) ?? []).map((data) => ({ type: 'NS', name, data }))
    return []
  }
}
