import type { Settings } from '../../core/settings.ts'

/** What carries payouts: files for the bank, or a provider that sends money to accounts opened with it. */
export type RailId = Settings['payoutRail']

/** How an account stands at its provider. */
export interface RailAccount {
  accountId: string
  /** Whether money can be sent to it now. */
  ready: boolean
  country: string
  currency: string
}

/** How a transfer stands. A part that came back changes nothing here: an operator sees it at the provider. */
export interface RailTransfer {
  payoutId: string
  ref: string
  status: 'paid' | 'returned'
}

/** What a provider says of its own accord. */
export type RailUpdate =
  | { kind: 'account'; account: RailAccount }
  | { kind: 'transfer'; transfer: RailTransfer }

/**
 * A provider that pays out by itself (contract, section 17). Amounts are in minor units of ISO 4217. Every call may
 * be repeated with the same effect; what may pass is thrown.
 */
export interface PayoutRail {
  id: RailId
  /** Its name, for people. */
  label: string
  /** The origins of its own pages, to which our forms may lead. */
  pageOrigins: readonly string[]
  /** Opens an account for a payee, by whose id it is one; `rejected` says what is wrong, as of a country. */
  openAccount(payee: {
    id: string
    email: string
    country: string
  }): Promise<RailAccount | { rejected: string }>
  /** A page on which the payee says who they are and where their bank is; it is good once, and for minutes. */
  onboardingPage(accountId: string, ourPage: string): Promise<string>
  lookUpAccount(accountId: string): Promise<RailAccount>
  /** Sends a payout; by the same id it is sent once. A rejection is final. */
  send(payout: {
    id: string
    amountCents: number
    currency: string
    accountId: string
    /** How often it was tried before. */
    attempts: number
  }): Promise<RailTransfer | { status: 'rejected'; reason: string }>
}
