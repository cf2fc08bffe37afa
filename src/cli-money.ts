import type { Command, Option } from 'commander'
import type { Terminal } from './cli-users.ts'

/** What is paid to partners, and what buyers paid. */
export function addMoneyCommands(
  program: Command,
  environment: () => Option,
  { ask, print }: Pick<Terminal, 'ask' | 'print'>,
): void {
  const payout = program.command('payout').description('what is paid to partners')
  payout
    .command('create')
    .description('make payouts of all payable balances')
    .addOption(environment())
    .action(async ({ env }) => print(await ask('POST', '/payouts', { environment: env })))
  payout
    .command('list')
    .description('newest first')
    .option('--status <status>', 'pending, processing, paid, failed or canceled')
    .action(async ({ status }) => {
      const filter = status ? `&status=${encodeURIComponent(status)}` : ''
      print(await ask('GET', `/payouts?limit=100${filter}`))
    })
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
      .action(async (id: string, { reason }) =>
        print(await ask('POST', `/payouts/${encodeURIComponent(id)}/${move}`, { reason })),
      )
  }

  const payment = program.command('payment').description('what buyers paid, and its way back')
  payment
    .command('list')
    .description('newest first')
    .option('--status <status>', 'such as refund_failed: what waits for you')
    .option('--order <public_id>', 'of this order')
    .action(async ({ status, order }) => {
      const filters = new URLSearchParams({ limit: '100' })
      if (status) filters.set('status', status)
      if (order) filters.set('public_id', order)
      print(await ask('GET', `/payments?${filters}`))
    })
  payment
    .command('disputes')
    .description('what buyers asked their banks to take back, newest first')
    .option('--status <status>', 'such as needs_response')
    .action(async ({ status }) => {
      const filter = status ? `&status=${encodeURIComponent(status)}` : ''
      print(await ask('GET', `/disputes?limit=100${filter}`))
    })
  payment
    .command('retry-refund <payment_id>')
    .description('send a refund that failed again')
    .action(async (id: string) =>
      print(await ask('POST', `/payments/${encodeURIComponent(id)}/refund/retry`, {})),
    )
  payment
    .command('refund-paid <payment_id>')
    .description('a refund that failed was paid by other means')
    .option('--note <text>', 'how')
    .action(async (id: string, { note }) =>
      print(await ask('POST', `/payments/${encodeURIComponent(id)}/refund/paid`, { note })),
    )
  payment
    .command('play <payment_id> <play>')
    .description('play the bank of a test payment: dispute, win-dispute, lose-dispute, fail-refund')
    .action(async (id: string, play: string) =>
      print(
        await ask(
          'POST',
          `/payments/${encodeURIComponent(id)}/play/${encodeURIComponent(play)}`,
          {},
        ),
      ),
    )
}
