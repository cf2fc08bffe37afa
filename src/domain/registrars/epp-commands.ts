import {
  type Changed,
  CommandRejected,
  checkDomain,
  createHost,
  type DomainChange,
  type DomainInfo,
  type EppClient,
  FEE,
  HOST,
  type Price,
  ResponseLost,
  renewDomain,
  renewFee,
  unknownHosts,
} from 'domain-marketplace-epp-client'
import { newAuthCode } from './auth-code.ts'
import {
  type CallOptions,
  type CommandResult,
  type PerformOptions,
  type RegistrarCommand,
  RegistrarRejected,
} from './driver.ts'
import { isOneOf } from './epp-errors.ts'
import {
  assertNotPending,
  type Context,
  helper,
  helping,
  readAfter,
  readBefore,
  update,
} from './epp-update.ts'
import { assertWithin } from './fee-limit.ts'

type Renewal = Extract<RegistrarCommand, { op: 'renew' }>

const LOCK = 'clientTransferProhibited'
const HOST_EXISTS = [2302]
/** How servers reject that a code is unset: as syntax, as an option, or by their policy. */
const CANNOT_UNSET = [2001, 2003, 2004, 2005, 2102, 2306]

/**
 * Performs a command: the one that changes something carries the operation's id as its `clTRID`, those that help
 * it that id and a suffix.
 */
export async function performCommand(
  context: Context,
  domain: string,
  command: RegistrarCommand,
  call: PerformOptions,
): Promise<CommandResult> {
  switch (command.op) {
    case 'renew':
      return await renew(context, domain, command, call)
    case 'lock':
      await update(context, domain, call, ({ statuses }) =>
        statuses.includes(LOCK) ? null : { add: { statuses: [LOCK] } },
      )
      return {}
    case 'unlock':
      await update(context, domain, call, ({ statuses }) =>
        statuses.includes(LOCK) ? { remove: { statuses: [LOCK] } } : null,
      )
      return {}
    case 'set_nameservers':
      await update(
        context,
        domain,
        call,
        (seen) => nameserverChange(seen, command.nameservers),
        ({ add }) => createHosts(context.client, add?.nameservers ?? [], call),
      )
      return {}
    case 'set_auth_code':
      await update(context, domain, call, ({ statuses }) => ({
        remove: { statuses: statuses.includes(LOCK) ? [LOCK] : [] },
        authInfo: command.authCode,
      }))
      return {}
    case 'clear_auth_code':
      await clearAuthCode(context, domain, call)
      return {}
    default:
      throw new RegistrarRejected('2101', `EPP has no command for ${command.op}.`)
  }
}

/**
 * A server that cannot unset a code gets one that nobody knows (RFC 9154, section 4.3), and so does one that says
 * it has done so and still shows a code.
 */
async function clearAuthCode(
  context: Context,
  domain: string,
  call: PerformOptions,
): Promise<void> {
  const change = (authInfo: string | null) =>
    update(context, domain, call, ({ statuses }) => ({
      add: { statuses: statuses.includes(LOCK) ? [] : [LOCK] },
      authInfo,
    }))
  try {
    await change(null)
  } catch (error) {
    if (!isOneOf(error, CANNOT_UNSET)) throw error
    return await change(newAuthCode())
  }
  const now = await readAfter(context, call)
  if (now?.showsAuthInfo) await change(newAuthCode())
}

function nameserverChange(
  { nameservers }: DomainInfo,
  wanted: readonly string[],
): DomainChange | null {
  const names = new Set(wanted.map((name) => name.toLowerCase()))
  const add = [...names].filter((name) => !nameservers.includes(name))
  const remove = nameservers.filter((name) => !names.has(name))
  if (add.length === 0 && remove.length === 0) return null
  return { add: { nameservers: add }, remove: { nameservers: remove } }
}

/** A domain can only be delegated to hosts that the registry has (RFC 5731, section 3.2.5). */
async function createHosts(
  client: EppClient,
  added: readonly string[],
  call: CallOptions,
): Promise<void> {
  if (added.length === 0 || !client.greeting?.objects.includes(HOST)) return
  const unknown = await helping(unknownHosts(client, added, helper(call, 'hosts')))
  for (const [index, name] of unknown.entries()) {
    await helping(
      createHost(client, name, helper(call, `host-${index + 1}`)).catch((error: unknown) => {
        if (!isOneOf(error, HOST_EXISTS)) throw error
      }),
    )
  }
}

async function renew(
  context: Context,
  domain: string,
  { years, expiresAt, maxFee }: Renewal,
  call: CallOptions,
): Promise<CommandResult> {
  const { client } = context
  const seen = await readBefore(context, domain, call)
  const from = expiresAt ?? seen.expiresAt
  if (!from) throw new RegistrarRejected('no_expiry', 'The registry shows no expiry to renew from.')
  if (seen.expiresAt && seen.expiresAt > from) return { expiresAt: seen.expiresAt }
  assertNotPending(seen, 'pendingRenew')
  const hasFees = client.greeting?.extensions.includes(FEE)
  const price = hasFees ? await agreedPrice(client, domain, years, maxFee, call) : null
  const expiresOn = from.getTime() === seen.expiresAt?.getTime() ? seen.expiresOn : null
  let renewed: Changed & { expiresAt: Date | null }
  try {
    const extension = price && renewFee(price)
    const renewal = { name: domain, years, expiresAt: from, expiresOn, extension }
    renewed = await renewDomain(client, renewal, call)
  } catch (error) {
    // A renewal whose response was lost is rejected when it is repeated: it no longer expires on that day.
    const now = error instanceof CommandRejected && (await readAfter(context, call))
    if (now && now.expiresAt && now.expiresAt > from) return { expiresAt: now.expiresAt }
    throw error
  }
  if (renewed.expiresAt && !renewed.isPending) return { expiresAt: renewed.expiresAt }
  const now = await readAfter(context, call)
  if (now?.expiresAt && now.expiresAt > from) return { expiresAt: now.expiresAt }
  if (renewed.isPending) throw new ResponseLost('The registry took the renewal, and does it later.')
  return {}
}

/** What the registry asks for now, unless it is more than may be paid; null where it does not say (RFC 8748). */
async function agreedPrice(
  client: EppClient,
  domain: string,
  years: number,
  maxFee: Renewal['maxFee'],
  call: CallOptions,
): Promise<Price | null> {
  const check = (term: { years: number; currency?: string }, suffix: string) =>
    helping(checkDomain(client, domain, term, helper(call, suffix))).catch((error: unknown) => {
      // It has no such currency, or tells no fees: then its usual fee is due.
      if (error instanceof CommandRejected) return null
      throw error
    })
  const inCurrency = maxFee && (await check({ years, currency: maxFee.currency }, 'fee'))
  const checked = inCurrency?.renew ? inCurrency : await check({ years }, 'any-fee')
  const price = checked?.renew ?? null
  if (!maxFee) return price
  if (price) assertWithin(maxFee, price, checked?.isPremium ?? false)
  else if (checked?.isPremium) {
    throw new RegistrarRejected(
      'fee_unknown',
      'It is a premium name, and the registry does not say what its renewal costs.',
    )
  }
  return price
}
