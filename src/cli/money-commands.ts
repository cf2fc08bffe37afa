import type { CommandSpec } from './command-spec.ts'

const payout = { names: { id: 'payout_id' } }
const payment = { names: { id: 'payment_id' } }
const statementColumns = [
  'id',
  'partner_id',
  'environment',
  'status',
  'order_count',
  'gross_sold_cents',
  'amount_owed_cents',
  'received_cents',
  'payment_status',
]
const payoutColumns = ['id', 'partner_id', 'environment', 'kind', 'status', 'amount_cents']

function payoutMove(move: string, summary: string): CommandSpec {
  return {
    ...payout,
    operation: 'move_payout',
    fixed: { move },
    summary,
    help: { reason: 'Shown to the partner.' },
  }
}

/** Settlements, payouts, payees and payments. */
export const MONEY_COMMANDS: Record<string, CommandSpec> = {
  'settlement run': { operation: 'run_settlement', columns: statementColumns },
  'settlement preview': { operation: 'preview_settlement_run', columns: statementColumns },
  'settlement list': { operation: 'list_all_settlements', columns: statementColumns },
  'settlement show': { operation: 'show_settlement', names: { id: 'settlement_id' } },
  'settlement receive': { operation: 'receive_settlement', names: { id: 'settlement_id' } },

  'payout create': { operation: 'create_payouts', columns: payoutColumns },
  'payout preview': {
    operation: 'preview_payouts',
    columns: ['partner_id', 'kind', 'amount_cents', 'line_count', 'reaches', 'suspended'],
  },
  'payout list': {
    operation: 'list_all_payouts',
    columns: [...payoutColumns, 'batch_id', 'created_at'],
  },
  'payout approve': { ...payout, operation: 'approve_payout' },
  'payout batches': {
    operation: 'list_payout_batches',
    columns: ['batch_id', 'format', 'count', 'created_by', 'created_at'],
  },
  'payout process': payoutMove('process', 'Say that the bank has a payout'),
  'payout paid': payoutMove('paid', 'Say that a payout has arrived'),
  'payout fail': payoutMove('fail', 'Say that a payout failed; the amount returns to the balance'),
  'payout send': { operation: 'send_payouts', columns: payoutColumns },
  'payout return': payoutMove(
    'return',
    'Say that a payout came back after it had arrived; the amount returns to the balance',
  ),
  'payout cancel': payoutMove('cancel', 'Cancel a payout; the amount returns to the balance'),

  'invoice list': {
    operation: 'list_invoices',
    columns: ['number', 'kind', 'public_id', 'net_cents', 'tax_cents', 'total_cents', 'issued_at'],
  },
  'payee set': {
    operation: 'set_payee',
    names: { payee: 'file' },
    jsonFiles: ['payee'],
    help: {
      payee:
        'A JSON file: name, country, iban or account_number with routing_number or bic, currency.',
    },
  },
  'payee show': { operation: 'show_payee' },

  'payment list': {
    operation: 'list_payments',
    names: { public_id: 'order' },
    columns: ['id', 'public_id', 'provider', 'status', 'amount_cents', 'created_at'],
  },
  'payment disputes': {
    operation: 'list_disputes',
    columns: ['id', 'payment_id', 'public_id', 'status', 'reason', 'amount_cents', 'due_at'],
  },
  'payment retry-refund': {
    ...payment,
    operation: 'move_refund',
    fixed: { move: 'retry' },
    summary: 'Send a refund that failed again',
  },
  'payment refund-paid': {
    ...payment,
    operation: 'move_refund',
    fixed: { move: 'paid' },
    summary: 'Say that a refund that failed was paid by other means',
  },
  'payment goodwill': { ...payment, operation: 'pay_goodwill' },
  'payment goodwill-approve': { operation: 'approve_goodwill', names: { id: 'goodwill_id' } },
  'payment goodwill-close': { operation: 'close_goodwill', names: { id: 'goodwill_id' } },
  'payment goodwill-list': {
    operation: 'list_goodwill',
    names: { payment_id: 'payment' },
    columns: ['goodwill_id', 'payment_id', 'amount_cents', 'status', 'requested_by', 'error'],
  },
  'payment play': { ...payment, operation: 'play_bank' },

  'charge uncaptured': {
    operation: 'list_uncaptured_charges',
    columns: ['charge_id', 'user_id', 'domains', 'amount_cents', 'currency', 'reason', 'failed_at'],
  },
  'charge write-off': { operation: 'write_off_charge' },
}
