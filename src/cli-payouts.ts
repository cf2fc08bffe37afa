import type { Command, Option } from 'commander'
import type { Terminal } from './cli-users.ts'

/** What is paid to partners. */
export function addPayoutCommands(
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
}
