import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { ADMIN_OPERATIONS } from '../src/surfaces/admin/serve.ts'
import { PARTNER_OPERATIONS } from '../src/surfaces/partner/operations.ts'
import { PUBLIC_OPERATIONS } from '../src/surfaces/public/operations.ts'
import { BUGS } from '../survive/simulation/bugs.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

/** From the bottom up: a room imports itself and the rooms before it. */
const ROOMS = ['lib', 'kernel', 'modules', 'surfaces', 'top']
const MODULES = [
  'mails',
  'audit',
  'ledger',
  'partners',
  'request-log',
  'accounts',
  'oauth',
  'lexicon',
  'registry',
  'inventory',
  'search',
  'payments',
  'holdings',
  'events',
  'quotes',
  'referrals',
  'orders',
  'brokerage',
  'settlements',
  'payouts',
  'checkout',
  'transactions',
  'sandbox',
]
const MAX_LINES = 300

/** Who writes each table, by module or other folder of src; whatever else writes one is listed below. */
const OWNERS: Record<string, string> = {
  affiliates: 'modules/partners',
  audit_entries: 'modules/audit',
  brokerage_cases: 'modules/brokerage',
  brokerage_notes: 'modules/brokerage',
  brokerage_offers: 'modules/brokerage',
  charges: 'modules/payments',
  checkout_sessions: 'modules/checkout',
  commission_balances: 'modules/ledger',
  commission_entries: 'modules/ledger',
  credentials: 'modules/partners',
  disputes: 'modules/payments',
  embedding_models: 'modules/search',
  event_streams: 'modules/events',
  events: 'modules/events',
  idempotency_keys: 'kernel',
  installation: 'top',
  label_vectors: 'modules/search',
  ledger_entries: 'modules/ledger',
  ledger_transactions: 'modules/ledger',
  listing_import_parts: 'modules/inventory',
  listing_import_rejections: 'modules/inventory',
  listing_imports: 'modules/inventory',
  listings: 'modules/inventory',
  live_requests: 'modules/partners',
  mailed_links: 'modules/accounts',
  mails: 'kernel',
  nonces: 'surfaces/partner',
  oauth_clients: 'modules/oauth',
  oauth_codes: 'modules/oauth',
  oauth_grants: 'modules/oauth',
  oauth_tokens: 'modules/oauth',
  orders: 'modules/orders',
  owned_domains: 'modules/holdings',
  partner_invitations: 'modules/accounts',
  partners: 'modules/partners',
  payment_methods: 'modules/payments',
  payments: 'modules/payments',
  payout_lines: 'modules/payouts',
  payouts: 'modules/payouts',
  personal_tokens: 'modules/accounts',
  promised_domains: 'modules/holdings',
  quotes: 'modules/quotes',
  rate_windows: 'kernel',
  rdap_bootstrap: 'modules/registry',
  referral_days: 'modules/referrals',
  referral_links: 'modules/referrals',
  referral_totals: 'modules/referrals',
  referral_visitors: 'modules/referrals',
  refunds: 'modules/orders',
  registry_answers: 'modules/registry',
  renewals: 'modules/holdings',
  request_log: 'modules/request-log',
  sale_days: 'modules/ledger',
  scheduled_jobs: 'kernel',
  sessions: 'modules/accounts',
  settlements: 'modules/ledger',
  signing_keys: 'kernel',
  site_checks: 'modules/brokerage',
  tld_prices: 'modules/registry',
  users: 'modules/accounts',
  webhook_attempts: 'modules/events',
  webhook_deliveries: 'modules/events',
  webhook_endpoints: 'modules/events',
  webhook_replays: 'modules/events',
}

const EXCEPTIONS: Record<string, string[]> = {
  // Takes a partner's sandbox back to its first day, in every module's tables.
  'src/modules/sandbox/reset-sandbox.ts': [
    'brokerage_cases',
    'checkout_sessions',
    'commission_balances',
    'events',
    'idempotency_keys',
    'ledger_transactions',
    'listings',
    'orders',
    'payments',
    'payout_lines',
    'payouts',
    'quotes',
    'referral_days',
    'referral_links',
    'referral_totals',
    'referral_visitors',
    'refunds',
    'sale_days',
    'settlements',
    'webhook_replays',
  ],
  // Lets time pass in a partner's sandbox, in every module's tables.
  'src/modules/sandbox/advance-clock.ts': [
    'brokerage_cases',
    'brokerage_notes',
    'brokerage_offers',
    'checkout_sessions',
    'commission_entries',
    'disputes',
    'idempotency_keys',
    'ledger_transactions',
    'listings',
    'orders',
    'payments',
    'payouts',
    'quotes',
    'referral_links',
    'refunds',
    'settlements',
    'webhook_deliveries',
    'webhook_endpoints',
  ],
  // Places the inventory that ships with the service.
  'src/modules/sandbox/seed.ts': ['listings'],
  // What an installation remembers of itself is a line for whoever needs one.
  'src/modules/sandbox/demo-partner.ts': ['installation'],
  'src/kernel/signing-key.ts': ['installation'],
  'src/modules/inventory/read-labels.ts': ['installation'],
  // A run closes the period that the ledger opened.
  'src/modules/settlements/run-settlement.ts': ['settlements'],
}

function filesUnder(folder: string, extension: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extension.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .toSorted()
}

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const source = filesUnder('src', /\.[jt]sx?$/)
const tests = filesUnder('test', /\.ts$/)
const ours = [
  ...source,
  ...tests,
  ...filesUnder('scripts', /\.ts$/),
  ...filesUnder('bench', /\.ts$/),
  ...filesUnder('survive', /\.ts$/),
]

/** `modules/orders`, `surfaces/partner`, `kernel`, or `top` for what lies in src itself. */
function homeOf(file: string): string {
  const [, room = '', folder = '', ...rest] = file.split('/')
  if (!folder) return 'top'
  return rest.length > 0 && room !== 'kernel' ? `${room}/${folder}` : room
}

/** Without comments, so that what they mention does not count. Strings stay: SQL is in them. */
function code(file: string): string {
  return read(file)
    .replace(/\/\*[^]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|\s)\/\/.*$/gm, '$1')
}

function imports(file: string): string[] {
  return [...code(file).matchAll(/(?:from|import|new URL\() ?\(?'(\.{1,2}\/[^']+\.[jt]sx?)'/g)].map(
    ([, path = '']) => join(dirname(file), path),
  )
}

function expectNone(offences: string[]): void {
  expect(offences).toEqual([])
}

describe('the rooms', () => {
  test('import only themselves and the rooms before them', () => {
    const roomOf = (file: string) => ROOMS.indexOf(homeOf(file).split('/')[0] ?? '')
    const all = source.flatMap((file) => imports(file).map((target) => ({ file, target })))
    expect(all.length).toBeGreaterThan(100)
    for (const file of source) expect(roomOf(file), file).toBeGreaterThanOrEqual(0)
    expectNone(
      all
        .filter(({ file, target }) => roomOf(target) > roomOf(file))
        .map(({ file, target }) => `${file} imports ${target}`),
    )
    expectNone(
      all
        .filter(({ target }) => !source.includes(target))
        .map(({ file, target }) => `${file} imports ${target}, which is not there`),
    )
  })

  test('modules import only the modules before them', () => {
    const moduleOf = (file: string) => MODULES.indexOf(homeOf(file).split('/')[1] ?? '')
    const modules = source.filter((file) => file.startsWith('src/modules/'))
    for (const file of modules) expect(moduleOf(file), file).toBeGreaterThanOrEqual(0)
    expectNone(
      modules.flatMap((file) =>
        imports(file)
          .filter(
            (target) => target.startsWith('src/modules/') && moduleOf(target) > moduleOf(file),
          )
          .map((target) => `${file} imports ${target}`),
      ),
    )
  })

  test('each table is written by its owner alone', () => {
    const tables = [
      ...read('migrations/schema.sql').matchAll(/^create (?:unlogged )?table (\w+)/gm),
    ]
    expect(Object.keys(OWNERS)).toEqual(tables.map(([, table]) => table))
    const names = Object.keys(OWNERS).join('|')
    const built = new RegExp(`\\b(?:insertInto|updateTable|deleteFrom)\\(\\s*'(${names})'`, 'g')
    const raw = new RegExp(
      `\\b(?:insert\\s+into|update|delete\\s+from|truncate|copy)\\s+(${names})\\b`,
      'gi',
    )
    const written = source.flatMap((file) =>
      [built, raw].flatMap((pattern) =>
        [...code(file).matchAll(pattern)].map(([, table = '']) => ({ file, table })),
      ),
    )
    // Whatever is written is seen: a table that seems never to be is a hole in the patterns above.
    expect([...new Set(written.map(({ table }) => table))].toSorted()).toEqual(Object.keys(OWNERS))
    expectNone(
      written
        .filter(({ file, table }) => homeOf(file) !== OWNERS[table])
        .filter(({ file, table }) => !EXCEPTIONS[file]?.includes(table))
        .map(({ file, table }) => `${file} writes ${table}`),
    )
  })

  test('a table whose name is a variable is written by a stated exception only', () => {
    expectNone(
      source.filter(
        (file) =>
          /\b(?:insertInto|updateTable|deleteFrom)\(\s*[^\s'"]/.test(code(file)) &&
          !(file in EXCEPTIONS),
      ),
    )
  })
})

describe('the code', () => {
  const lines = (files: string[], pattern: RegExp) =>
    files.flatMap((file) =>
      code(file)
        .split('\n')
        .flatMap((line, index) =>
          pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
        ),
    )

  test('reads the environment where the settings are read, and on the command line', () => {
    const allowed = ['src/config.ts', 'src/cli.ts']
    const found = lines(
      source.filter((file) => !allowed.includes(file)),
      /\bprocess\s*\.\s*env\b|\bprocess\[|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/,
    )
    // The one place that hands the environment over.
    expectNone(
      found.filter(
        (line) => !/^src\/main\.ts:\d+: await start\(readSettings\(process\.env\)\)$/.test(line),
      ),
    )
  })

  test('takes the time from the one clock', () => {
    expectNone(
      lines(
        source.filter((file) => file !== 'src/lib/clock.ts'),
        /\bDate\.now\b|\bnew Date(?:\(\s*\)|(?!\s*\())|(?<!new )(?<!\.)\bDate\(|\bnow\(\)\s+at\b|\bcurrent_timestamp\b|\bclock_timestamp\b|\bstatement_timestamp\b/,
      ),
    )
    expectNone(
      lines(
        filesUnder('migrations', /^\d{4}-.*\.sql$/),
        /\bnow\(\)|\bcurrent_(?:timestamp|date|time)\b/i,
      ),
    )
  })

  test('has no default exports', () => {
    // Vitest asks for one there.
    const allowed = ['test/support/global-setup.ts']
    expectNone(
      lines(
        ours.filter((file) => !allowed.includes(file)),
        /^\s*export\s+default\b|\bas default\b/,
      ),
    )
  })

  test(`has no file of ${MAX_LINES} lines or more`, () => {
    expectNone(
      source
        .map((file) => ({ file, count: read(file).trimEnd().split('\n').length }))
        .filter(({ count }) => count >= MAX_LINES)
        .map(({ file, count }) => `${file} has ${count} lines`),
    )
  })
})

describe('the tests', () => {
  test('provoke every error that an operation declares', () => {
    const text = tests
      .filter((file) => file.endsWith('.test.ts') && file !== 'test/tidy.test.ts')
      .map(read)
      .join('\n')
    const declared = new Set(
      [...PARTNER_OPERATIONS, ...ADMIN_OPERATIONS, ...PUBLIC_OPERATIONS].flatMap(
        ({ errors }) => errors,
      ),
    )
    expect(declared.size).toBeGreaterThan(4)
    expectNone([...declared].filter((error) => !new RegExp(`['"\`^]${error}\\b`).test(text)))
  })
})

describe('the documents', () => {
  test('name only files that are there', () => {
    const documents = ['README.md', ...filesUnder('docs', /\.md$/)].filter(
      (file) =>
        !file.startsWith('docs/spec/') && statSync(join(ROOT, file), { throwIfNoEntry: false }),
    )
    expectNone(
      documents.flatMap((file) =>
        pathsIn(read(file))
          .filter((path) => !exists(path) && !exists(join(dirname(file), path)))
          .map((path) => `${file} names ${path}`),
      ),
    )
  })

  test('are read for paths in links, in code and in running text', () => {
    const text = [
      'See [this](docs/a.md#part) and `src/b.ts:12`, test/c/ and (bench/d.ts).',
      'Not http://localhost/src/e.ts, /api/docs/f, nor `migrations/0001-…`, nor src/<room>/g.ts.',
    ]
    expect(pathsIn(text.join('\n'))).toEqual(['docs/a.md', 'src/b.ts', 'test/c/', 'bench/d.ts'])
  })

  function exists(path: string): boolean {
    return statSync(join(ROOT, path), { throwIfNoEntry: false }) !== undefined
  }

  /** What begins with one of our folders, or links to a file beside the document. */
  function pathsIn(text: string): string[] {
    const folder =
      /(?<![\w./:@-])(?:src|test|docs|scripts|bench|survive|migrations|seed)\/[\w./*{<…-]*/g
    const named = [...text.matchAll(folder)].map(([path]) => path)
    const linked = [...text.matchAll(/\]\((?!\w+:)([^)#\s]+)[^)]*\)/g)].map(([, path = '']) => path)
    return [...new Set([...named, ...linked])]
      .filter((path) => !/[*{<…]|NNNN/.test(path))
      .map((path) => path.replace(/\.+$/, ''))
  }
})

test('every bug that the simulation plants still has its place', () => {
  expectNone(
    BUGS.filter(({ file, find }) => read(file).split(find).length !== 2).map(
      ({ file, name }) => `${file} has not once what "${name}" changes`,
    ),
  )
})
