import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../core/operation.ts'
import { confirmedEmail, type User } from '../accounts/user.ts'

/** A table that holds something of a person, what of it they are given, and which rows are theirs. */
interface Part {
  name: string
  table: string
  columns: readonly string[]
  isTheirs: Whose
}

type Whose = (user: User) => RawBuilder<unknown>

const BY_ID: Whose = ({ id }) => sql`user_id = ${id}`
/** Nothing, while nobody has confirmed that the address is theirs. */
const byEmail =
  (written: RawBuilder<unknown>): Whose =>
  (user) =>
    sql`lower(${written}) = ${confirmedEmail(user)}::text`
const BY_ADDRESS = byEmail(sql`email`)
const BY_BUYER = byEmail(sql`buyer->>'email'`)
const BY_REGISTRANT = byEmail(sql`registrant->>'email'`)
const BY_CASE = byEmail(sql`buyer_email`)
/** By the row by which somebody who sells is paid. */
const BY_SELLER: Whose = ({ id }) =>
  sql`partner_id in (select id from partners where user_id = ${id})`

const PARTS: readonly Part[] = [
  {
    name: 'sessions',
    table: 'sessions',
    columns: ['id', 'user_agent', 'address', 'created_at', 'last_seen_at'],
    isTheirs: BY_ID,
  },
  {
    name: 'personal_tokens',
    table: 'personal_tokens',
    columns: ['id', 'label', 'scopes', 'created_at', 'last_used_at', 'expires_at'],
    isTheirs: BY_ID,
  },
  {
    name: 'second_factors',
    table: 'second_factors',
    columns: ['factor_id', 'kind', 'label', 'created_at', 'last_used_at'],
    isTheirs: BY_ID,
  },
  {
    name: 'apps',
    table: 'oauth_grants',
    columns: ['client_id', 'scope', 'created_at', 'last_used_at', 'revoked_at'],
    isTheirs: BY_ID,
  },
  {
    name: 'mandates',
    table: 'mandates',
    columns: ['grant_id', 'max_per_order_cents', 'max_total_cents', 'currency', 'expires_at'],
    isTheirs: (user) => sql`grant_id in (select id from oauth_grants where ${BY_ID(user)})`,
  },
  {
    name: 'partner_invitations',
    table: 'partner_invitations',
    columns: ['partner_id', 'created_at', 'expires_at', 'ended_at'],
    isTheirs: BY_ADDRESS,
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
    isTheirs: BY_ID,
  },
  {
    name: 'promised_domains',
    table: 'promised_domains',
    columns: ['domain', 'expires_at', 'created_at'],
    isTheirs: BY_ADDRESS,
  },
  {
    name: 'claims',
    table: 'claims',
    columns: ['domain', 'status', 'method', 'created_at', 'verified_at'],
    isTheirs: BY_ID,
  },
  {
    name: 'payment_methods',
    table: 'payment_methods',
    columns: ['id', 'provider', 'status', 'label', 'created_at'],
    isTheirs: BY_ID,
  },
  {
    name: 'charges',
    table: 'charges',
    columns: ['id', 'amount_cents', 'currency', 'status', 'refund_cents', 'created_at'],
    isTheirs: BY_ID,
  },
  {
    name: 'renewals',
    table: 'renewals',
    columns: ['domain', 'years', 'price_cents', 'currency', 'status', 'created_at'],
    isTheirs: BY_ID,
  },
  {
    name: 'seller_account',
    table: 'partners',
    columns: ['id', 'name', 'email', 'status', 'created_at'],
    isTheirs: BY_ID,
  },
  {
    name: 'payees',
    table: 'payees',
    columns: ['rail', 'name', 'country', 'currency', 'account_last4', 'created_at', 'usable_from'],
    isTheirs: BY_SELLER,
  },
  {
    name: 'payouts',
    table: 'payouts',
    columns: [
      'id',
      'kind',
      'amount_cents',
      'currency',
      'status',
      'reason',
      'created_at',
      'paid_at',
    ],
    isTheirs: BY_SELLER,
  },
  {
    name: 'checkouts',
    table: 'checkout_sessions',
    columns: [
      'id',
      'domain',
      'price_cents',
      'currency',
      'status',
      'buyer',
      'app_name',
      'created_at',
    ],
    isTheirs: BY_BUYER,
  },
  {
    // Apart, since others may fill in the form of a checkout that was made for somebody.
    name: 'checkout_details',
    table: 'checkout_sessions',
    columns: ['id', 'domain', 'registrant', 'delivery', 'created_at'],
    isTheirs: BY_REGISTRANT,
  },
  {
    name: 'payments',
    table: 'payments',
    columns: [
      'id',
      'session_id',
      'amount_cents',
      'tax_cents',
      'currency',
      'status',
      'reason',
      'card',
      'registrant',
      'created_at',
    ],
    isTheirs: (user) => sql`(${BY_REGISTRANT(user)} or registrant is null
      and session_id in (select id from checkout_sessions where ${BY_BUYER(user)}))`,
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
    isTheirs: BY_BUYER,
  },
  {
    name: 'offers',
    table: 'offers',
    columns: [
      'offer_id',
      'domain',
      'status',
      'amount_cents',
      'currency',
      'buyer',
      'history',
      'closing_message',
      'created_at',
    ],
    isTheirs: BY_BUYER,
  },
  {
    // Other people made them.
    name: 'offers_received',
    table: 'offers',
    columns: [
      'offer_id',
      'domain',
      'status',
      'amount_cents',
      'currency',
      'history',
      'closing_message',
      'created_at',
    ],
    isTheirs: ({ id }) => sql`seller_id = ${id}`,
  },
  {
    name: 'invoices',
    table: 'invoices',
    columns: ['number', 'kind', 'domain', 'buyer', 'net_cents', 'tax_cents', 'issued_at'],
    isTheirs: BY_BUYER,
  },
  {
    name: 'brokerage_cases',
    table: 'brokerage_cases',
    columns: ['case_id', 'domain', 'status', 'budget', 'currency', 'note', 'created_at'],
    isTheirs: BY_CASE,
  },
  {
    name: 'brokerage_offers',
    table: 'brokerage_offers',
    columns: ['case_id', 'made_by', 'price_cents', 'message', 'status', 'created_at'],
    isTheirs: (user) =>
      sql`case_id in (select case_id from brokerage_cases where ${BY_CASE(user)})`,
  },
  {
    name: 'mails',
    table: 'mails',
    columns: ['subject', 'created_at', 'sent_at'],
    isTheirs: byEmail(sql`recipient`),
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
  for (const { name, table, columns, isTheirs } of PARTS) {
    const { rows } = await sql`
      select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(table)}
      where ${isTheirs(user)}`.execute(db)
    data[name] = rows
  }
  return data
}
