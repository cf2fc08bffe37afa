import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { describeAdminOperations } from '../../scripts/describe-admin-operations.ts'
import { addCommands } from '../../src/cli/add-commands.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { textOf } from '../../src/cli/print.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import { ADMIN_OPERATIONS } from '../../src/http/admin/serve.ts'

/** Operations that no command calls, each with the reason. */
const UNREACHED: Record<string, string> = {
  block_domains: 'listings block reads its names from a file, and sends some thousands at once',
  start_registrar_sync: 'registrar sync reads its names from a file, and waits for the end',
  show_registrar_sync: 'registrar sync asks it how far it is',
  export_payouts: 'payout export writes the file that it responds with',
  read_payout_batch: 'payout export --batch writes it again',
  read_invoice: 'invoice pdf writes the document to a file',
  reseal_secrets: 'secrets reseal calls it until all is sealed',
  make_backup: 'backup writes the file that it responds with',
  import_payout_status: 'payout import-status sends a file',
}

/** What a command line asks of the admin API. */
async function asked(...words: string[]) {
  const requests: { method: string; path: string; body: object | undefined }[] = []
  const program = new Command('cli').exitOverride().configureOutput({ writeErr: () => {} })
  addCommands(program, {
    ask: async (method, path, body) => {
      requests.push({ method, path, body })
      return { cases: [], orders: [] }
    },
    upload: () => Promise.reject(new Error('nothing to upload')),
    print: () => {},
  })
  for (const command of program.commands) {
    for (const part of [command, ...command.commands]) part.exitOverride()
  }
  await program.parseAsync(words, { from: 'user' })
  return requests
}

describe('the commands', () => {
  test('have the contracts of today: else run npm run -s admin-operations', () => {
    const file = new URL('../../src/cli/admin-operations.json', import.meta.url)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(
      describeAdminOperations(ADMIN_OPERATIONS),
    )
  })

  test('reach every admin operation, but those with a reason', () => {
    const reached = Object.values(COMMANDS).flatMap(({ operation, flags = {} }) => [
      operation,
      ...Object.values(flags).flatMap((flag) => flag.operation ?? []),
    ])
    const all = [...new Set(reached), ...Object.keys(UNREACHED)]
    expect(all.toSorted()).toEqual(ADMIN_OPERATIONS.map(({ name }) => name).toSorted())
  })

  test('say what they do, and what each of their options is', () => {
    const program = new Command('cli')
    addCommands(program, {} as Terminal)
    const all = program.commands.flatMap((group) => [...group.commands])
    expect(all.length).toBeGreaterThan(90)
    const verbs =
      /^(Accept|Approve|Ask|Cancel|Clear|Close|Confirm|Connect|Decide|Decline|End|Erase|Freeze|Get|Give|Let|Link|List|Make|Move|Open|Play|Put|Reactivate|Read|Record|Refund|Remove|Replace|Revoke|Run|Say|Send|Set|Show|Start|Suspend|Switch|Take|Try|Withdraw|Write) /
    for (const command of all) {
      const words = `${command.parent?.name()} ${command.name()}`
      expect(command.description(), words).toMatch(verbs)
      for (const { flags, description } of command.options) {
        expect(description, `${words} ${flags}`).not.toBe('')
      }
    }
  })

  test('name fields that are there, in words and in columns', () => {
    for (const [words, { operation, ...spec }] of Object.entries(COMMANDS)) {
      const contract = ADMIN_OPERATIONS.find(({ name }) => name === operation)
      const fields = Object.keys(contract?.input.shape ?? {})
      const named = [
        ...Object.keys({ ...spec.fixed, ...spec.names, ...spec.help, ...spec.defaults }),
        ...(spec.arguments ?? []),
        ...(spec.options ?? []),
      ]
      expect(
        named.filter((name) => !fields.includes(name)),
        words,
      ).toEqual([])
    }
  })

  test('say which of several values counts, and which takes one away', async () => {
    expect(await asked('user', 'link', 'usr_1', '--no-partner', '--operator')).toEqual([
      {
        method: 'PUT',
        path: '/users/usr_1',
        body: { partner_id: null, operator: true },
      },
    ])
    expect(await asked('brokerage', 'list', '--unassigned', '--running')).toMatchObject([
      { path: '/brokerage?running=true&assigned=false&limit=100' },
    ])
    expect(await asked('brokerage', 'link', 'case_1', '--revoke')).toMatchObject([
      { method: 'DELETE', path: '/brokerage/case_1/progress-link' },
    ])
    expect(await asked('price', 'set', 'com', 'renew', '--none')).toMatchObject([
      { method: 'PUT', path: '/tld-prices/com/renew', body: { price_cents: null } },
    ])
    const both = ['price', 'set', 'com', 'renew', '--none', '--price-cents', '1']
    await expect(asked(...both)).rejects.toThrow(/cannot be used with/)
    expect(await asked('order', 'list', '--no-held', '--search', 'a b')).toMatchObject([
      { path: '/orders?held=false&q=a+b&limit=100' },
    ])
  })
})

describe('a table', () => {
  const table = { rows: 'orders', columns: ['domain', 'held', 'sale_price_cents', 'created_at'] }
  const row = {
    domain: 'a.com',
    held: false,
    currency: 'USD',
    created_at: '2026-11-23T09:08:07.000Z',
  }

  test('has aligned columns, money and short times', () => {
    const orders = [
      { ...row, sale_price_cents: 125_000 },
      { ...row, domain: 'long-name.com', sale_price_cents: null, held: true },
    ]
    expect(textOf({ orders, next_cursor: null }, table)).toBe(
      [
        'DOMAIN         HELD    SALE PRICE  CREATED',
        'a.com          no    1,250.00 USD  2026-11-23 09:08',
        'long-name.com  yes              -  2026-11-23 09:08',
        '',
      ].join('\n'),
    )
    expect(textOf({ orders: [], next_cursor: null, total: 0 }, table)).toBe('none\ntotal: 0\n')
  })

  test('gives a terminal nothing to obey', () => {
    const orders = [{ ...row, domain: 'a\u001b[31m\nb' }]
    expect(textOf({ orders }, { rows: 'orders', columns: ['domain'] })).toBe('DOMAIN\na [31m b\n')
  })
})
