import type { Settings } from '../../../core/settings.ts'
import type { BankAccount } from '../../payees/bank-account.ts'

export const PAYOUT_FORMATS = ['pain.001', 'csv'] as const
export type PayoutFormat = (typeof PAYOUT_FORMATS)[number]

/** One payout that goes to the bank. */
export interface PayoutOrder {
  /** The payout's id, by which the bank reports on it. */
  id: string
  amountCents: number
  currency: string
  account: BankAccount
}

/** What a file for the bank is made of. */
export interface PayoutBatch {
  id: string
  at: Date
  /** Who pays. Null where the account or the name is not set, as may be in the sandbox. */
  payer: Pick<Settings['platform'], 'name' | 'iban' | 'bic' | 'country'>
  payouts: readonly PayoutOrder[]
}

/** A kind of file that banks take. The same batch always makes the same bytes. */
export interface PayoutFile {
  format: PayoutFormat
  /** Whether the file names the account that pays. */
  needsPayer: boolean
  write(batch: PayoutBatch): string
}
