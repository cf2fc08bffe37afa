import { Command, Option } from 'commander'
import { addCommands } from './cli/add-commands.ts'
import { blockDomains } from './cli/block-domains.ts'
import { importListings, importPrices } from './cli/import-file.ts'
import { writeInvoice } from './cli/invoice-file.ts'
import { exportPayouts, importStatus } from './cli/payout-files.ts'
import { textOf } from './cli/print.ts'
import { syncRegistrar } from './cli/registrar-sync.ts'
import { resealSecrets } from './cli/reseal.ts'
import { ask, upload } from './cli/service.ts'
import { Failed, type Table, type Terminal } from './cli/terminal.ts'
import { errorMessage } from './lib/error-message.ts'
import { packageVersion } from './version.ts'

const terminal: Terminal = { ask, upload, print }

// A reader that reads no further has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

const program = new Command('cli')
  .description('Operates a running service through its admin API.')
  .version(packageVersion())
  .option('--json', 'print the response as one line of JSON')
  .configureOutput({ outputError: (text, write) => write(`${oneLine(text)}\n`) })
  .addHelpText('beforeAll', ({ error, command }) => {
    // All of the help would be no error of one line.
    if (error) command.error('error: a command is missing; --help lists them')
    return ''
  })

addCommands(program, terminal)

group('listings')
  .command('import <file>')
  .description(
    'Load a CSV file: domain,price_cents,floor_price_cents,currency,offers,min_offer_cents',
  )
  .addOption(new Option('--env <env>').choices(['sandbox', 'live']).makeOptionMandatory())
  .action((file: string, { env }) => importListings(terminal, file, env))

group('price')
  .command('import <file>')
  .description('Load a CSV file: tld,op,price_cents,years')
  .action((file: string) => importPrices(terminal, file))

group('listings')
  .command('block <file>')
  .description('Block the domains of a file with a domain a line: nobody may list or import them')
  .action((file: string) => blockDomains(terminal, file))

group('registrar')
  .command('sync <name>')
  .description('Read what a registrar says of domains: expiry, lock and name servers')
  .requiredOption('--domains-file <file>', 'A file with a domain a line.')
  .option('--no-wait', 'Leave it to the service, and print how it began.')
  .action((name: string, { domainsFile, wait }) => syncRegistrar(terminal, name, domainsFile, wait))

group('secrets')
  .command('reseal')
  .description('Seal everything with the first key of SECRETS_KEY, while the service runs')
  .action(() => resealSecrets(terminal))

group('secrets')
  .command('forget')
  .description('Give up what no key of SECRETS_KEY opens, while no service runs')
  .option(
    '--yes',
    'Do it, which cannot be undone: have a backup. Without it, print what would be given up.',
  )
  .action(async (options) => (await import('./cli/forget-secrets.ts')).forget(terminal, options))

group('invoice')
  .command('pdf <number>')
  .description('Write an invoice or credit note as PDF')
  .requiredOption('--out <file>', 'Where to write it.')
  .action((number: string, { out }) => writeInvoice(terminal, number, out))

group('payout')
  .command('export')
  .description('Write the payouts that can be paid to a file for the bank')
  .addOption(new Option('--env <env>').choices(['sandbox', 'live']))
  .addOption(new Option('--format <format>').choices(['pain.001', 'csv']))
  .option('--batch <batch_id>', 'The file of an earlier export again, byte for byte.')
  .requiredOption('--out <file>', 'Where to write it.')
  .action((options) => exportPayouts(terminal, options))

group('payout')
  .command('import-status <file>')
  .description('Read what the bank says of payouts: ISO 20022 pain.002.001.10')
  .action((file: string) => importStatus(terminal, file))

program
  .command('backup')
  .description('Write the embedded database of the running service to a file')
  .requiredOption('--out <file>', 'Where to write it; it must not exist.')
  .action(async ({ out }) => (await import('./cli/backup.ts')).backUp(terminal, out))

program
  .command('restore <file>')
  .description('Start an empty DATA_DIR from a backup, while no service runs on it')
  .action(async (file: string) => (await import('./cli/backup.ts')).restore(terminal, file))

program
  .command('doctor')
  .description('Look for what keeps this installation from working, and say how to mend it')
  .action(async () => (await import('./cli/doctor/doctor.ts')).doctor(terminal))

program
  .command('config')
  .description('The settings of this installation')
  .command('print')
  .description('Print every setting with its value and where that is from, without secrets')
  .action(async () => (await import('./cli/config-print.ts')).printConfig(terminal))

try {
  await program.parseAsync()
} catch (error) {
  const text = error instanceof Failed ? error.message : `error: ${errorMessage(error)}`
  process.stderr.write(`${oneLine(text)}\n`)
  process.exit(1)
}

function group(name: string): Command {
  const found = program.commands.find((command) => command.name() === name)
  return found ?? program
}

function print(value: unknown, table?: Table): void {
  const text = program.opts().json ? `${JSON.stringify(value)}\n` : textOf(value as object, table)
  process.stdout.write(text)
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}
