import type { AppContext } from '../../core/context.ts'
import { ApiError, conflict } from '../../core/errors.ts'
import { findTransferProblems } from '../listings/transferable.ts'
import type { RegistrarCommand } from '../registrars/driver.ts'
import {
  findRegistrars,
  type HoldingRegistrar,
  manualRegistrarFor,
  type Performer,
  readAgain,
} from '../registrars/find-registrar.ts'
import type { BulkOp, BulkParams } from './bulk-op.ts'
import { copyExpiries } from './owned-domain.ts'

/** What takes place at a domain's registrar; the other operations change only what this marketplace keeps. */
const AT_REGISTRAR = ['renew', 'lock', 'unlock', 'set_nameservers', 'set_privacy'] as const
type OpAtRegistrar = (typeof AT_REGISTRAR)[number]

/** What a user reads, at once or in a mail. */
export const NOT_CONNECTED =
  'This marketplace has no registrar connection for this domain yet, so it cannot do this.'

/** Who performs an operation on each domain, or why nobody does. */
export type Performers = ReadonlyMap<string, Performer | ApiError>

/** Asks registrars about what is not known, so it is called outside transactions. */
export async function performersOf(
  app: AppContext,
  op: BulkOp,
  domains: readonly string[],
  userId: string,
): Promise<Performers> {
  if (op === 'list_for_sale') return await findTransferProblems(app, 'live', domains, userId)
  if (!isAtRegistrar(op)) return new Map()
  const found = await findRegistrars(app, 'live', domains)
  const missing = domains.filter((domain) => found.get(domain) === null)
  for (const domain of missing) found.set(domain, await manualRegistrarFor(app, domain))
  await copyExpiries(app.db, app.clock.now(), domains)
  return found
}

/** What registrars say now of the domains' expiry: one may have renewed a domain that was to be renewed here. */
export async function readExpiries(app: AppContext, performers: Performers): Promise<void> {
  const holders = new Map<string, HoldingRegistrar>()
  for (const domain of performers.keys()) {
    const holder = connectionFor(performers, domain)
    if (holder) holders.set(domain, holder)
  }
  await readAgain(app, holders)
  await copyExpiries(app.db, app.clock.now(), [...holders.keys()])
}

/** Why an operation cannot be performed on a domain; null when it can (contract, section 16). */
export function registrarProblem(
  performers: Performers,
  op: BulkOp,
  domain: string,
): ApiError | null {
  const performer = performers.get(domain) ?? null
  if (performer instanceof ApiError) return performer
  if (!isAtRegistrar(op) || performer === 'simulated') return null
  if (performer?.capabilities.includes(op)) return null
  const message = performer
    ? `The registrar connection ${performer.name} cannot do this.`
    : NOT_CONNECTED
  return conflict('registrar_not_connected', message)
}

/** The connection that performs an operation; null where nothing real is behind the domain. */
export function connectionFor(performers: Performers, domain: string): HoldingRegistrar | null {
  const performer = performers.get(domain)
  return performer && typeof performer === 'object' && !(performer instanceof ApiError)
    ? performer
    : null
}

/** What a registrar is asked to do, other than a renewal, which is paid for first. */
export function commandOf(op: BulkOp, params: BulkParams): RegistrarCommand {
  switch (op) {
    case 'lock':
    case 'unlock':
      return { op }
    case 'set_nameservers':
      return { op, nameservers: params.nameservers ?? [] }
    case 'set_privacy':
      return { op, enabled: params.enabled ?? false }
    default:
      throw new Error(`${op} is no command to a registrar`)
  }
}

function isAtRegistrar(op: BulkOp): op is OpAtRegistrar {
  return (AT_REGISTRAR as readonly string[]).includes(op)
}
