import {
  type CallOptions,
  type CommandResult,
  NotPerformed,
  type RegistrarCapability,
  type RegistrarCommand,
  type RegistrarConnection,
  type RegistrarDomain,
  type RegistrarMessage,
  RegistrarRejected,
  ResponseLost,
} from '../../src/domain/registrars/driver.ts'
import { must } from './market.ts'
import type { TestService } from './service.ts'

type Fault = 'before' | 'after' | RegistrarRejected

const YEAR = 365 * 86_400_000

/** A registrar that keeps domains, and does what a test tells it to with the next calls. */
export class ScriptedRegistrar implements RegistrarConnection {
  readonly capabilities: RegistrarCapability[] = [
    'info',
    'renew',
    'lock',
    'unlock',
    'set_nameservers',
    'set_auth_code',
    'clear_auth_code',
    'push',
    'set_for_sale',
    'poll',
  ]
  readonly domains = new Map<string, RegistrarDomain>()
  /** The records at `_for-sale` below its domains. */
  readonly forSale = new Map<string, string>()
  /** Every command that took effect, as `op domain`. */
  readonly performed: string[] = []
  readonly references: string[] = []
  /** What happens to the next commands, one after the other. */
  readonly faults: Fault[] = []
  readonly messages: RegistrarMessage[] = []
  readonly acknowledged: string[] = []
  isDown = false

  constructor(names: readonly string[]) {
    for (const name of names) {
      this.domains.set(name, {
        expiresAt: new Date(Date.UTC(2027, 5, 1)),
        locked: false,
        privacy: null,
        nameservers: ['ns1.registrar.example'],
        hostsZone: true,
        statuses: ['ok'],
      })
    }
  }

  /** Sets when a domain of its account expires. */
  expire(domain: string, expiresAt: Date): void {
    const known = this.domains.get(domain)
    if (known) this.domains.set(domain, { ...known, expiresAt })
  }

  async test(): Promise<{ server: string }> {
    return { server: 'scripted' }
  }

  async info(domain: string): Promise<RegistrarDomain | null> {
    if (this.isDown) throw new NotPerformed('The registrar is down.')
    return this.domains.get(domain) ?? null
  }

  async perform(
    domain: string,
    command: RegistrarCommand,
    { reference }: CallOptions,
  ): Promise<CommandResult> {
    const fault = this.faults.shift()
    if (fault === 'before') throw new ResponseLost('The connection was lost.')
    if (fault instanceof RegistrarRejected) throw fault
    this.references.push(reference)
    const result = this.#apply(domain, command)
    if (fault === 'after') throw new ResponseLost('The connection was lost.')
    return result
  }

  #apply(domain: string, command: RegistrarCommand): CommandResult {
    const known = this.domains.get(domain)
    if (!known) throw new RegistrarRejected('2303', 'Object does not exist')
    this.performed.push(`${command.op} ${domain}`)
    const set = (change: Partial<RegistrarDomain>) => {
      this.domains.set(domain, { ...known, ...change })
      return {}
    }
    switch (command.op) {
      case 'renew': {
        const expiresAt = new Date((known.expiresAt?.getTime() ?? 0) + command.years * YEAR)
        set({ expiresAt })
        return { expiresAt }
      }
      case 'lock':
      case 'clear_auth_code':
        return set({ locked: true })
      case 'unlock':
      case 'set_auth_code':
        return set({ locked: false })
      case 'set_nameservers':
        return set({ nameservers: command.nameservers })
      case 'set_privacy':
        return set({ privacy: command.enabled })
      case 'set_for_sale':
        if (command.published) this.forSale.set(domain, command.value)
        else this.forSale.delete(domain)
        return {}
      default:
        this.domains.delete(domain)
        return {}
    }
  }

  async poll(): Promise<RegistrarMessage | null> {
    return this.messages[0] ?? null
  }

  async acknowledge(id: string): Promise<void> {
    this.acknowledged.push(id)
    if (this.messages[0]?.id === id) this.messages.shift()
  }

  async close(): Promise<void> {}
}

/** Connects a scripted registrar to a service, under a connection that operators see. */
export async function connectScripted(
  service: TestService,
  scripted: ScriptedRegistrar,
  tlds: string[],
  name = 'scripted',
): Promise<string> {
  const added = must(
    await service.admin('POST', '/registrars', { name, driver: 'manual', config: { tlds } }),
    201,
  )
  const id: string = added.body.registrar_id
  const { byId } = service.app.registrars
  service.app.registrars.byId = async (asked) => {
    const open = await byId(asked)
    return open && asked === id ? { ...open, connection: scripted } : open
  }
  return id
}
