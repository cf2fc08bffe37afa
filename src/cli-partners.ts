import { type Command, Option } from 'commander'
import { addList } from './cli-list.ts'
import { at, environment, type Terminal } from './cli-terminal.ts'

/** Partner accounts, their live access and their credentials. */
export function addPartnerCommands(program: Command, terminal: Terminal): void {
  const { call } = terminal
  const partner = program.command('partner').description('partner accounts')
  partner
    .command('create')
    .description('open a partner account')
    .requiredOption('--name <name>')
    .requiredOption('--email <email>')
    .option('--affiliate', 'link an affiliate account')
    .action(({ name, email, affiliate = false }) =>
      call('POST', '/partners', { name, email, affiliate }),
    )
  addList(partner, 'list', '/partners', terminal)
  for (const [verb, status] of [
    ['suspend', 'suspended'],
    ['activate', 'active'],
  ] as const) {
    partner
      .command(`${verb} <partner_id>`)
      .description(`make the account ${status}`)
      .action((id: string) => call('POST', at`/partners/${id}/status`, { status }))
  }

  addList(partner, 'live-requests', '/live-requests', terminal)
    .description('who asks for live access, newest first')
    .addOption(
      new Option('--status <status>')
        .choices(['pending', 'approved', 'declined'])
        .default('pending'),
    )
  partner
    .command('approve <live_request_id>')
    .description('give live access')
    .option('--reason <text>', 'told to the partner')
    .action((id: string, { reason }) => call('POST', at`/live-requests/${id}/approve`, { reason }))
  partner
    .command('decline <live_request_id>')
    .description('decline live access')
    .requiredOption('--reason <text>', 'told to the partner')
    .action((id: string, { reason }) => call('POST', at`/live-requests/${id}/decline`, { reason }))

  const credential = program.command('credential').description('signing credentials')
  credential
    .command('create')
    .description('make a credential; a live one approves the partner for live')
    .requiredOption('--partner <partner_id>')
    .addOption(environment())
    .requiredOption('--scopes <a,b,c>', 'search, embed, buy, broker, refer, report, webhook')
    .action(({ partner: id, env, scopes }) =>
      call('POST', at`/partners/${id}/credentials`, {
        environment: env,
        scopes: scopes.split(',').map((scope: string) => scope.trim()),
      }),
    )
  credential
    .command('list')
    .requiredOption('--partner <partner_id>')
    .action(({ partner: id }) => call('GET', at`/partners/${id}/credentials`))
  credential
    .command('rotate <key_id>')
    .description('give it a new secret; the old one works until the overlap ends')
    .option('--overlap-seconds <seconds>', 'default: a day', Number)
    .action((keyId: string, { overlapSeconds }) =>
      call('POST', at`/credentials/${keyId}/rotate`, {
        overlap_seconds: overlapSeconds,
      }),
    )
  credential
    .command('revoke <key_id>')
    .description('switch it off for good')
    .action((keyId: string) => call('POST', at`/credentials/${keyId}/revoke`))
}
