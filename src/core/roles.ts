/** What operators are for (contract, section 17). */
export const ROLES = ['admin', 'finance', 'broker', 'support', 'viewer'] as const
export type Role = (typeof ROLES)[number]

/** The roles that an operation is open to; `admin` is among them in any case. */
export type Roles = readonly Role[]

export const ADMINS: Roles = ['admin']
/** Who reads the market's business, but no payees, secrets or registrants. */
export const READERS: Roles = ['admin', 'finance', 'support', 'viewer']
/** Payouts, payees, settlements, refunds, invoices and prices. */
export const FINANCE: Roles = ['admin', 'finance']
/** Orders on their way, and whom they are for. */
export const SUPPORT: Roles = ['admin', 'support']
/** Cases and offers, and nothing else. */
export const BROKERS: Roles = ['admin', 'broker']
export const CASE_READERS: Roles = [...READERS, 'broker']
