import { type Command, Option } from 'commander'
import { Failed } from './cli-failed.ts'
import { parseDomainName } from './lib/domain-name.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface Terminal {
  /** Asks the admin API, and answers its answer. */
  ask(method: Method, path: string, body?: object): Promise<unknown>
  print(value: unknown): void
  readText(file: string): string
}

/** Accounts of people, and the mails to them. */
export function addUserCommands(program: Command, { ask, print, readText }: Terminal): void {
  const show = async (method: Method, path: string, body?: object) =>
    print(await ask(method, path, body))

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
      await show('POST', '/users', { email, password, domains: domainsIn(given) })
    })
  user
    .command('token')
    .description('make a personal access token; it is shown this once')
    .requiredOption('--email <email>')
    .option('--label <text>', 'what it is for')
    .action(({ email, label }) => show('POST', '/user-tokens', { email, label }))
  user
    .command('list')
    .description('newest first')
    .option('--email <email>', 'of this address only')
    .action(({ email }) =>
      show('GET', `/users?limit=100${email ? `&email=${encodeURIComponent(email)}` : ''}`),
    )
  user
    .command('link <user_id>')
    .description('link an account to a partner or affiliate, or make it an operator')
    .option('--partner <partner_id>')
    .option('--affiliate <affiliate_id>')
    .option('--operator')
    .option('--no-operator')
    .action((id: string, { partner: partner_id, affiliate: affiliate_id, operator }) =>
      show('PUT', `/users/${encodeURIComponent(id)}`, { partner_id, affiliate_id, operator }),
    )

  program
    .command('mail')
    .description('what the service wrote to people')
    .command('list')
    .option('--to <email>')
    .action(({ to }) => show('GET', `/mails?limit=100${to ? `&to=${encodeURIComponent(to)}` : ''}`))
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
