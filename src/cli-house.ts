import type { Command } from 'commander'
import { addList } from './cli-list.ts'
import { at, environment, type Terminal } from './cli-terminal.ts'

/** How the house does: what waits, what its jobs did, and who did what. */
export function addHouseCommands(program: Command, terminal: Terminal): void {
  const { call } = terminal
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
    .action((name: string) => call('POST', at`/jobs/${name}/run`))

  const audit = program.command('audit').description('who did what')
  addList(audit, 'list', '/audit-entries', terminal)
    .option('--actor <email>', "an operator's address, or 'admin token'")
    .option('--operation <name>', 'such as run_settlement')
    .option('--subject <id>', 'what it was about')
    .option('--refused', 'only what was refused')
}
