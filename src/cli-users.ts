import { type Command, Option } from 'commander'
import { addList } from './cli-list.ts'
import { at, Failed, type Terminal } from './cli-terminal.ts'
import { parseDomainName } from './lib/domain-name.ts'

/** Accounts of people, and the mails to them. */
export function addUserCommands(program: Command, terminal: Terminal): void {
  const { call, readText } = terminal
  const user = program.command('user').description('people who sign in')
  user
    .command('create')
    .description('open an account; the address counts as confirmed')
    .requiredOption('--email <email>')
    .requiredOption('--password <password>')
    .addOption(new Option('--domains <a.com,b.com>', 'what the user owns').conflicts('domainsFile'))
    .option('--domains-file <file>', 'the same, from a file with a domain a line')
    .action(async ({ email, password, domains, domainsFile }) => {
      const given = domainsFile === undefined ? (domains ?? '') : readText(domainsFile)
      await call('POST', '/users', { email, password, domains: domainsIn(given) })
    })
  user
    .command('token')
    .description('make a personal access token; it is shown this once')
    .requiredOption('--email <email>')
    .option('--label <text>', 'what it is for')
    .action(({ email, label }) => call('POST', '/user-tokens', { email, label }))
  addList(user, 'list', '/users', terminal).option('--email <email>', 'of this address only')
  user
    .command('link <user_id>')
    .description('link an account to a partner or affiliate, or make it an operator')
    .option('--partner <partner_id>')
    .option('--affiliate <affiliate_id>')
    .option('--operator')
    .option('--no-operator')
    .action((id: string, { partner: partner_id, affiliate: affiliate_id, operator }) =>
      call('PUT', at`/users/${id}`, { partner_id, affiliate_id, operator }),
    )

  const mail = program.command('mail').description('what the service wrote to people')
  addList(mail, 'list', '/mails', terminal).option('--to <email>')
}

/** Once each, so that a file with repeats is no longer than it says. */
function domainsIn(text: string): string[] {
  const names = text.split(/[\s,]+/).filter(Boolean)
  const domains = names.map((name) => {
    const { domain } = parseDomainName(name) ?? {}
    if (!domain) throw new Failed(`validation_error: domains: "${name}" is not a domain name`)
    return domain
  })
  return [...new Set(domains)]
}
