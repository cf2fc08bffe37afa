import pLimit from 'p-limit'
import { partnerOf } from '../../core/caller.ts'
import type { AppContext } from '../../core/context.ts'
import { iso } from '../../core/fields.ts'
import { type Job, runSoon } from '../../core/jobs.ts'
import type { Tx } from '../../core/operation.ts'
import { lockSandbox } from '../../core/sandbox-lock.ts'
import { inTransaction } from '../../db/transaction.ts'
import { after, HOUR, MINUTE } from '../../lib/clock.ts'
import { emit } from '../events/emit.ts'
import type { RegistrySaid, TransferProof } from '../events/transfer-view.ts'
import { SIMULATED } from '../registrars/operation.ts'
import { lockOrderIfAny, type Order, orderEvent } from './order.ts'
import { askNow, saidBy } from './registry-said.ts'
import { moveOrder, writeOrder } from './status.ts'
import { step } from './transfer-code.ts'

const AT_ONCE = 4
const BATCH = 100
const TIMEOUT_MS = 30_000
/** How long a simulated transfer takes from when the buyer could start it. */
const SIMULATED_TRANSFER_MS = HOUR

/** What was found out about a transfer. */
interface Evidence {
  proof: TransferProof | null
  /** The registry, or the registrar that has the domain, shows that the gaining registrar has asked for it. */
  isSubmitted: boolean
  registry: RegistrySaid | null
}

/**
 * Asks the registrar connection and the registry whether domains have arrived (contract, section 16): an order
 * whose domain is at the gaining registrar or in the gaining account is complete, with that as its proof.
 */
export const checkTransfers: Job = {
  name: 'check_transfers',
  everyMs: MINUTE,
  queriesUpstream: true,
  async run(app, signal) {
    await markStalled(app, signal)
    const slots = pLimit(AT_ONCE)
    for (const orders = await due(app); orders.length > 0 && !signal.aborted; ) {
      const some = orders.splice(0, AT_ONCE)
      await Promise.all(some.map((order) => slots(() => check(app, order))))
    }
  },
}

/** A registrar has said that a transfer of the domain began or ended: its order is looked at now, whenever it was last. */
export async function checkSoon(tx: Tx, now: Date, domain: string): Promise<void> {
  await tx
    .updateTable('orders')
    .set({ transfer_checked_at: null })
    .where('environment', '=', 'live')
    .where('domain', '=', domain)
    .where('status', '=', 'TRANSFER_IN_PROGRESS')
    .execute()
  await runSoon(tx, now, checkTransfers.name)
}

/** Those that were looked at longest ago come first, so that however many there are, each has its turn. */
async function due({ db, clock, settings }: AppContext): Promise<Order[]> {
  const before = after(clock.now(), -settings.transferCheckMinutes * MINUTE)
  return await db
    .selectFrom('orders')
    .selectAll()
    .where('status', '=', 'TRANSFER_IN_PROGRESS')
    .where((row) =>
      row.or([row('transfer_checked_at', 'is', null), row('transfer_checked_at', '<=', before)]),
    )
    .orderBy('transfer_checked_at', (at) => at.asc().nullsFirst())
    .orderBy('public_id')
    .limit(BATCH)
    .execute()
}

async function check(app: AppContext, order: Order): Promise<void> {
  try {
    const evidence = await evidenceOf(app, order)
    await record(app, order, evidence)
  } catch (error) {
    app.log.warn({ err: error, public_id: order.public_id }, 'transfers: not checked')
    await record(app, order, { proof: null, isSubmitted: false, registry: null })
  }
}

async function evidenceOf(app: AppContext, order: Order): Promise<Evidence> {
  const { environment, transfer_connection } = order
  const isSimulated = environment === 'sandbox' || app.settings.registry === 'simulated'
  if (transfer_connection === SIMULATED || (isSimulated && transfer_connection === null)) {
    const proof = simulatedProof(app.clock.now(), order)
    const isAsked = proof !== null && environment === 'live'
    const registry = isAsked ? saidBy(await askNow(app, order.domain)) : null
    return { proof, isSubmitted: false, registry }
  }
  const result = await askNow(app, order.domain)
  const { record } = result
  const found = record?.registrar?.iana_id ?? null
  const seen = await seenAtRegistrar(app, order, found)
  const proof = seen.proof ?? registryProof(app.clock.now(), order, found)
  const isSubmitted = seen.isSubmitted || isPending(record?.status ?? [])
  return { proof, isSubmitted, registry: saidBy(result) }
}

/**
 * The buyer of a simulation takes an hour. Where a sandbox let days pass at once, the transfer is late: the first check
 * leaves it stalled, so that a partner can try that, and the next one completes it.
 */
function simulatedProof(now: Date, order: Order) {
  const { expected_by, stalled_at, transfer_checked_at } = order
  const since = simulatedSince(order)
  if (!since || after(since, SIMULATED_TRANSFER_MS) > now) return null
  const isLate = expected_by !== null && expected_by <= now
  const wasLeftStalled = stalled_at && transfer_checked_at && transfer_checked_at >= stalled_at
  if (isLate && !wasLeftStalled) return null
  return proofOf('simulated', now, null, 'Simulated: nothing real was transferred.')
}

/** When the buyer could begin, if they can. */
function simulatedSince(order: Order): Date | null {
  const { delivery, expected_by, code_available_at, transfer_started_at } = order
  switch (delivery.method) {
    case 'hold':
      return transfer_started_at
    case 'push':
      return expected_by && after(expected_by, -5 * 24 * HOUR)
    default:
      return code_available_at
  }
}

/**
 * The domain has left our account, or is still there for a buyer whose account is here, or is about to leave it. One for
 * which there was no code has not left by this transfer, wherever it is; how a push ended, its operation says.
 */
async function seenAtRegistrar(
  app: AppContext,
  { domain, public_id, transfer_connection, delivery, code_available_at }: Order,
  iana: string | null,
): Promise<Pick<Evidence, 'proof' | 'isSubmitted'>> {
  const nothing = { proof: null, isSubmitted: false }
  const isHeld = delivery.method === 'hold'
  if (!isHeld && code_available_at === null) return nothing
  const open = transfer_connection && (await app.registrars.byId(transfer_connection))
  if (!open || !open.connection.capabilities.includes('info')) return nothing
  const said = await open.connection.info(domain, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    reference: `${public_id}-check`,
  })
  const { name } = open.registrar
  if (said && !isHeld) return { proof: null, isSubmitted: isPending(said.statuses) }
  if (!said && isHeld) return nothing
  const note = said
    ? `${name} has the domain in our account.`
    : `${name} says that the domain has left our account.`
  return { proof: proofOf('registrar', app.clock.now(), iana, note), isSubmitted: false }
}

/** As EPP and registries write it, or as Realtime Register does. */
function isPending(statuses: readonly string[]): boolean {
  return statuses.includes('pendingTransfer') || statuses.includes('PENDING_TRANSFER')
}

/** Another registrar than before there was a code, or the one that was named. */
function registryProof(now: Date, order: Order, found: string | null): TransferProof | null {
  if (found === null || order.delivery.method !== 'auth_code') return null
  if (order.code_available_at === null) return null
  const before = order.transfer_registrar?.iana_id ?? null
  const wanted = order.delivery.registrar_iana_id
  const isThere =
    wanted === null ? before !== null && found !== before : found === wanted && found !== before
  return isThere
    ? proofOf('registry', now, found, 'The registry shows the gaining registrar.')
    : null
}

/**
 * Where the domain was before its transfer. Until there is a code the buyer cannot have moved the domain: what the registry
 * shows then is the losing registrar, also where the seller has moved it since the transfer started. Once the buyer can
 * have the code it may be the gaining one, so nothing is taken from it.
 */
function losingRegistrar(order: Order, registry: RegistrySaid | null): Order['transfer_registrar'] {
  const { transfer_registrar, code_available_at, delivery } = order
  const canTell = delivery.method === 'auth_code' && code_available_at === null
  const shown = registry?.registrar ?? null
  return canTell && shown?.iana_id ? shown : transfer_registrar
}

function proofOf(
  source: TransferProof['source'],
  now: Date,
  registrar_iana_id: string | null,
  note: string,
): TransferProof {
  return { source, at: iso(now), registrar_iana_id, note }
}

async function record(app: AppContext, seen: Order, { proof, isSubmitted, registry }: Evidence) {
  const now = app.clock.now()
  await changeTransfer(app, seen, async (tx, order) => {
    if (proof) {
      await moveOrder({ tx, now, app }, order, 'complete', null, { proof, registry })
      return
    }
    const isNew = isSubmitted && order.submitted_at === null
    const transfer_registrar = losingRegistrar(order, registry)
    const checked = { ...order, transfer_registrar, transfer_checked_at: now }
    if (!isNew) return await writeOrder(tx, checked)
    await report(tx, now, { ...checked, submitted_at: now }, 'transfer.submitted')
  })
}

async function markStalled(app: AppContext, signal: AbortSignal): Promise<void> {
  const now = app.clock.now()
  const late = await app.db
    .selectFrom('orders')
    .selectAll()
    .where('status', '=', 'TRANSFER_IN_PROGRESS')
    .where('expected_by', '<=', now)
    .where('stalled_at', 'is', null)
    .limit(BATCH)
    .execute()
  for (const order of late) {
    if (signal.aborted) return
    await changeTransfer(app, order, async (tx, held) => {
      if (held.stalled_at !== null || !held.expected_by || held.expected_by > now) return
      await report(tx, now, { ...held, stalled_at: now }, 'transfer.stalled')
    })
  }
}

async function report(
  tx: Tx,
  now: Date,
  order: Order,
  type: 'transfer.submitted' | 'transfer.stalled',
): Promise<void> {
  const told = { ...order, timeline: [...order.timeline, step(order, now, type)], updated_at: now }
  await writeOrder(tx, told)
  await tx.executeQuery(emit(now, partnerOf(order), [orderEvent(type, told)]))
}

/** Of the transfer that was looked at, and no later one. */
async function changeTransfer(
  app: AppContext,
  { public_id, partner_id, environment, transfer_number }: Order,
  change: (tx: Tx, order: Order) => Promise<void>,
): Promise<void> {
  await inTransaction(app, async (tx) => {
    if (environment === 'sandbox') await lockSandbox(tx, partner_id, 'shared')
    const order = await lockOrderIfAny(tx, public_id)
    if (order?.status !== 'TRANSFER_IN_PROGRESS') return
    if (order.transfer_number === transfer_number) await change(tx, order)
  })
}
