import { sql } from 'kysely'
import type { Environment, Partner } from '../../src/core/caller.ts'
import type { PartnerClient, Result } from './client.ts'
import type { TestService } from './service.ts'

/** Puts names up for sale, each at the same price. */
export async function offer(
  service: TestService,
  environment: Environment,
  names: string[],
  priceCents = 10_000,
): Promise<void> {
  const report = await service.list(
    environment,
    names.map((name) => `${name},${priceCents},,USD`).join('\n'),
  )
  if (report.imported !== names.length) throw new Error(`not all listed: ${JSON.stringify(report)}`)
}

let lastName = 0

/** A name that nobody has used yet, put up for sale. */
export async function freshName(
  service: TestService,
  environment: Environment = 'sandbox',
  { label, priceCents = 10_000 }: { label?: string; priceCents?: number } = {},
): Promise<string> {
  lastName += 1
  const name = label ? `${label}.n${lastName}.test` : `fresh-${lastName}.test`
  await offer(service, environment, [name], priceCents)
  return name
}

export interface SeenEvent {
  id: string
  type: string
  created_at: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every type
  data: any
}

/** The partner's whole history, oldest first. */
export async function eventsOf(client: PartnerClient): Promise<SeenEvent[]> {
  const events: SeenEvent[] = []
  let after = ''
  for (;;) {
    const response = must(await client.get(`/events?${after}limit=100`), 200)
    events.push(...response.body.events)
    if (response.body.next_cursor === null) return events
    after = `after_id=${response.body.next_cursor}&`
  }
}

export async function eventTypes(client: PartnerClient): Promise<string[]> {
  return (await eventsOf(client)).map(({ type }) => type)
}

/** An operator's move, or a loud failure. */
export async function operate(service: TestService, publicId: string, ...moves: string[]) {
  let order: Result['body']
  for (const move of moves) {
    order = must(await service.admin('POST', `/orders/${publicId}/${move}`, {}), 200).body
  }
  return order
}

/** The response, if it has this status; fails loudly otherwise. */
export function must(response: Result, status: number): Result {
  if (response.status !== status) {
    throw new Error(`answered ${response.status} instead of ${status}: ${response.text}`)
  }
  return response
}

/** What an error is told apart by; its request id differs every time. */
export function refusal(response: Result) {
  return { status: response.status, code: response.body?.error?.code }
}

export interface LedgerLine {
  id: string
  code: string
  source: string
  settlement_id: string | null
  account: string
  amount_cents: number
}

/** The partner's part of the ledger, entry by entry. */
export async function ledgerOf(
  service: TestService,
  { partnerId, environment }: Partner,
): Promise<LedgerLine[]> {
  const { rows } = await sql<LedgerLine>`
    select t.id, t.code, t.source, t.settlement_id, e.account, e.amount_cents::bigint
    from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
    where t.partner_id = ${partnerId} and t.environment = ${environment}
    order by t.id, e.account`.execute(service.app.db)
  return rows
}

/** That a token was made for them, which tests do all the time. */
const TOKEN_MADE = 'A personal access token was made for your account'

/** The subjects of what was mailed to somebody, oldest first, but for tokens that were made for them. */
export async function mailsTo(service: TestService, recipient: string): Promise<string[]> {
  const mails = await service.app.db
    .selectFrom('mails')
    .select('subject')
    .where('recipient', '=', recipient)
    .where('subject', '<>', TOKEN_MADE)
    .orderBy('id')
    .execute()
  return mails.map(({ subject }) => subject)
}
