import { sql } from 'kysely'
import type { Tx } from '../../core/operation.ts'
import type { User } from '../accounts/user.ts'

/** A table that holds something of a person, by what it is theirs, and what of it they are given. */
interface Part {
  name: string
  table: string
  columns: readonly string[]
  /** The column that names the user, or the one with their e-mail address. */
  by: { id: string } | { email: string }
}

const PARTS: readonly Part[] = [
  {
    name: 'sessions',
    table: 'sessions',
    columns: ['id', 'user_agent', 'address', 'created_at', 'last_seen_at'],
    by: { id: 'user_id' },
  },
  {
    name: 'personal_tokens',
    table: 'personal_tokens',
    columns: ['id', 'label', 'scopes', 'created_at', 'last_used_at', 'expires_at'],
    by: { id: 'user_id' },
  },
  {
    name: 'second_factors',
    table: 'second_factors',
    columns: ['factor_id', 'kind', 'label', 'created_at', 'last_used_at'],
    by: { id: 'user_id' },
  },
  {
    name: 'apps',
    table: 'oauth_grants',
    columns: ['client_id', 'scope', 'created_at', 'last_used_at', 'revoked_at'],
    by: { id: 'user_id' },
  },
  {
    name: 'domains',
    table: 'owned_domains',
    columns: [
      'domain',
      'locked',
      'auto_renew',
      'privacy',
      'nameservers',
      'expires_at',
      'created_at',
    ],
    by: { id: 'user_id' },
  },
  {
    name: 'claims',
    table: 'claims',
    columns: ['domain', 'status', 'method', 'created_at', 'verified_at'],
    by: { id: 'user_id' },
  },
  {
    name: 'payment_methods',
    table: 'payment_methods',
    columns: ['id', 'provider', 'status', 'label', 'created_at'],
    by: { id: 'user_id' },
  },
  {
    name: 'charges',
    table: 'charges',
    columns: ['id', 'amount_cents', 'currency', 'status', 'refund_cents', 'created_at'],
    by: { id: 'user_id' },
  },
  {
    name: 'renewals',
    table: 'renewals',
    columns: ['domain', 'years', 'price_cents', 'currency', 'status', 'created_at'],
    by: { id: 'user_id' },
  },
  {
    name: 'orders',
    table: 'orders',
    columns: [
      'public_id',
      'domain',
      'status',
      'sale_price_cents',
      'currency',
      'buyer',
      'delivery',
      'created_at',
    ],
    by: { email: "buyer->>'email'" },
  },
  {
    name: 'offers',
    table: 'offers',
    columns: ['offer_id', 'domain', 'status', 'amount_cents', 'currency', 'buyer', 'created_at'],
    by: { email: "buyer->>'email'" },
  },
  {
    name: 'invoices',
    table: 'invoices',
    columns: ['number', 'kind', 'domain', 'buyer', 'net_cents', 'tax_cents', 'issued_at'],
    by: { email: "buyer->>'email'" },
  },
  {
    name: 'brokerage_cases',
    table: 'brokerage_cases',
    columns: ['case_id', 'domain', 'status', 'budget', 'currency', 'note', 'created_at'],
    by: { email: 'buyer_email' },
  },
  {
    name: 'mails',
    table: 'mails',
    columns: ['subject', 'created_at', 'sent_at'],
    by: { email: 'recipient' },
  },
]

/** All that is kept of a person, by the tables that it is in; no secrets. */
export async function readUserData(
  db: Pick<Tx, 'selectFrom'> & Parameters<ReturnType<typeof sql>['execute']>[0],
  user: User,
): Promise<Record<string, unknown>> {
  const { id, email, email_confirmed_at, role, partner_id, affiliate_id, created_at } = user
  const data: Record<string, unknown> = {
    account: { user_id: id, email, email_confirmed_at, role, partner_id, affiliate_id, created_at },
  }
  for (const { name, table, columns, by } of PARTS) {
    const isTheirs =
      'id' in by ? sql`${sql.ref(by.id)} = ${id}` : sql`lower(${sql.raw(by.email)}) = ${email}`
    const { rows } = await sql`
      select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(table)}
      where ${isTheirs}`.execute(db)
    data[name] = rows
  }
  return data
}
