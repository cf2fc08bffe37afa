import {
  CommandRejected,
  type DomainChange,
  type DomainInfo,
  type EppClient,
  NotPerformed,
  ResponseLost,
  updateDomain,
} from 'domain-marketplace-epp-client'
import { type CallOptions, type PerformOptions, RegistrarRejected } from './driver.ts'

export interface Context {
  client: EppClient
  /** The domain, or null where it is not ours. */
  read(call: CallOptions): Promise<DomainInfo | null>
}

const PROTECTION = 'clientUpdateProhibited'
const PROTECTED = { statuses: [PROTECTION] }
/** The longest `clTRID` is 64 characters. */
const LONGEST_REFERENCE = 52

/**
 * Updates a domain, unless it is so already, and protects it again where this or an earlier attempt had to remove that.
 * DNSSEC records are never named, so they stay as they are.
 *
 * @param changeOf what has to change; null: nothing
 * @param prepare what has to be there first
 */
export async function update(
  context: Context,
  domain: string,
  call: PerformOptions,
  changeOf: (seen: DomainInfo) => DomainChange | null,
  prepare?: (change: DomainChange) => Promise<void>,
): Promise<void> {
  const { client } = context
  const { protection } = call
  const seen = await readBefore(context, domain, call)
  const change = changeOf(seen)
  const isProtected = seen.statuses.includes(PROTECTION)
  let isOpen = protection.isRemoved && !isProtected
  if (!change && !isOpen) return
  assertNotPending(seen, 'pendingUpdate')
  let problem: unknown = null
  try {
    if (change) {
      await prepare?.(change)
      if (isProtected) {
        // With this status a registry takes nothing but its removal (RFC 5731, section 2.3).
        await protection.remember(true)
        await helping(updateDomain(client, domain, { remove: PROTECTED }, helper(call, 'open')))
        isOpen = true
      }
      await send(change)
    }
  } catch (error) {
    problem = error
  }
  if (isOpen) {
    await protectAgain(context, domain, call).catch((error: unknown) => {
      problem = problem instanceof ResponseLost ? problem : error
    })
  }
  if (problem) throw problem

  async function send(change: DomainChange): Promise<void> {
    try {
      await updateDomain(client, domain, change, call)
    } catch (error) {
      // A rejection of what is so by now, such as the lock of a locked domain.
      const now = error instanceof CommandRejected && (await readAfter(context, call))
      if (!now || changeOf(now)) throw error
    }
  }
}

/** Until the domain is seen protected, or the registry rejects that, the operation is not over. */
async function protectAgain(context: Context, domain: string, call: PerformOptions): Promise<void> {
  try {
    await updateDomain(context.client, domain, { add: PROTECTED }, helper(call, 'close'))
  } catch (error) {
    const now = await readAfter(context, call)
    if (!now?.statuses.includes(PROTECTION)) {
      const problem = 'The domain is not protected again'
      if (error instanceof CommandRejected) {
        const { code, message, reason } = error
        throw new RegistrarRejected(String(code), `${problem}: ${message}`, reason)
      }
      // The change before it may have taken effect.
      throw new ResponseLost(`${problem} yet.`, { cause: error })
    }
  }
  await call.protection.remember(false)
}

export async function readBefore(
  { read }: Context,
  domain: string,
  call: CallOptions,
): Promise<DomainInfo> {
  const seen = await helping(read(helper(call, 'state')))
  if (!seen) throw new RegistrarRejected('2201', `${domain} is not in this account.`)
  return seen
}

/** Null also where nothing is heard of it: what was heard before counts then. */
export async function readAfter({ read }: Context, call: CallOptions): Promise<DomainInfo | null> {
  return await read(helper(call, 'after')).catch(() => null)
}

/** A registry that does things later takes no more until it has (RFC 5731, section 2.3). */
export function assertNotPending({ statuses }: DomainInfo, status: string): void {
  if (statuses.includes(status)) throw new NotPerformed(`The registry is not done yet: ${status}.`)
}

/** The outcome of a command before the one that changes something: that one was not sent when this one is lost. */
export async function helping<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ResponseLost) throw new NotPerformed(error.message, { cause: error })
    throw error
  }
}

export function helper({ reference, signal }: CallOptions, suffix: string): CallOptions {
  return { signal, reference: `${reference.slice(0, LONGEST_REFERENCE)}-${suffix}` }
}
