import { type Command, Option } from 'commander'
import { at, type Terminal, whole } from './cli-terminal.ts'

/** The price book. */
export function addPriceCommands(
  program: Command,
  { call }: Terminal,
  importPrices: (file: string) => Promise<void>,
): void {
  const price = program.command('price').description('what registrations cost, by top-level domain')
  price
    .command('list')
    .option('--tld <tld>', 'of this one only')
    .action(({ tld }) =>
      call('GET', `/tld-prices?limit=10000${tld ? `&tld=${encodeURIComponent(tld)}` : ''}`),
    )
  price
    .command('set <tld> <operation>')
    .description('of register, renew, transfer or restore')
    .addOption(
      new Option('--price-cents <cents>', 'in US cents, for all the years together').argParser(
        whole,
      ),
    )
    .addOption(new Option('--none', 'it is not sold').conflicts('priceCents'))
    .option('--years <years>', 'default: 1', whole)
    .action((tld: string, op: string, { priceCents, none, years }) =>
      call('PUT', at`/tld-prices/${tld}/${op}`, {
        price_cents: none ? null : priceCents,
        years,
      }),
    )
  price
    .command('import <file>')
    .description('load a CSV file: tld,op,price_cents,years')
    .action(importPrices)
}
