import type { Command } from 'commander'
import { addList } from './cli-list.ts'
import { at, environment, type Terminal } from './cli-terminal.ts'

/** What is paid to partners, and what buyers paid. */
export function addMoneyCommands(program: Command, terminal: Terminal): void {
  const { call } = terminal
  const payout = program.command('payout').description('what is paid to partners')
  payout
    .command('create')
    .description('make payouts of all payable balances')
    .addOption(environment())
    .action(({ env }) => call('POST', '/payouts', { environment: env }))
  addList(payout, 'list', '/payouts', terminal).option(
    '--status <status>',
    'pending, processing, paid, failed or canceled',
  )
  for (const [move, description] of [
    ['process', 'it is with the bank'],
    ['paid', 'it has arrived'],
    ['fail', 'it did not arrive: the amount returns to the balance'],
    ['cancel', 'it is not to be made after all'],
  ] as const) {
    payout
      .command(`${move} <payout_id>`)
      .description(description)
      .option('--reason <text>')
      .action((id: string, { reason }) => call('POST', at`/payouts/${id}/${move}`, { reason }))
  }

  const payment = program.command('payment').description('what buyers paid, and its way back')
  addList(payment, 'list', '/payments', terminal, ({ order, ...rest }) => ({
    ...rest,
    public_id: order,
  }))
    .option('--status <status>', 'such as refund_failed: what waits for you')
    .option('--order <public_id>', 'of this order')
  addList(payment, 'disputes', '/disputes', terminal)
    .description('what buyers asked their banks to take back, newest first')
    .option('--status <status>', 'such as needs_response')
  payment
    .command('retry-refund <payment_id>')
    .description('send a refund that failed again')
    .action((id: string) => call('POST', at`/payments/${id}/refund/retry`, {}))
  payment
    .command('refund-paid <payment_id>')
    .description('a refund that failed was paid by other means')
    .option('--note <text>', 'how')
    .action((id: string, { note }) => call('POST', at`/payments/${id}/refund/paid`, { note }))
  payment
    .command('play <payment_id> <play>')
    .description('play the bank of a test payment: dispute, win-dispute, lose-dispute, fail-refund')
    .action((id: string, play: string) => call('POST', at`/payments/${id}/play/${play}`, {}))
}
