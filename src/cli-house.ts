import type { Command, Option } from 'commander'

type Call = (method: 'GET' | 'POST', path: string) => Promise<void>

/** How the house does: what waits, what its jobs did, and who did what. */
export function addHouseCommands(program: Command, environment: () => Option, call: Call): void {
  program
    .command('overview')
    .description('what waits for an operator, and sales by day')
    .addOption(environment())
    .action(({ env }) => call('GET', `/overview?environment=${env}`))

  const job = program.command('job').description('what the clock starts')
  job
    .command('list')
    .description('with the last run of each')
    .action(() => call('GET', '/jobs'))
  job
    .command('run <name>')
    .description('run it now')
    .action((name: string) => call('POST', `/jobs/${encodeURIComponent(name)}/run`))

  program
    .command('audit')
    .description('who did what')
    .command('list')
    .description('newest first')
    .option('--actor <email>', "an operator's address, or 'admin token'")
    .option('--operation <name>', 'such as run_settlement')
    .option('--subject <id>', 'what it was about')
    .option('--refused', 'only what was refused')
    .action((filters: Record<string, string | boolean>) => {
      const query = Object.entries({ limit: '100', ...filters }).map(
        ([name, value]) => `${name}=${encodeURIComponent(value)}`,
      )
      return call('GET', `/audit-entries?${query.join('&')}`)
    })
}
