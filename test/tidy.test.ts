import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { ADMIN_OPERATIONS } from '../src/http/admin/serve.ts'
import { PARTNER_OPERATIONS } from '../src/http/partner/operations.ts'
import { PUBLIC_OPERATIONS } from '../src/http/public/operations.ts'
import { BUGS } from '../survive/simulation/bugs.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

/** From the bottom up: a layer imports itself and the layers before it. */
/** Libraries of their own, each of which imports itself and the packages before it by their names. */
const PACKAGES = ['safe-fetch', 'domain-names', 'name-search', 'registry-lookup', 'epp-client']
const LAYERS = [['lib'], ['db'], ['core'], ['domain'], ['http', 'web'], ['cli', 'top']]
const AREAS = [
  'mails',
  'audit',
  'ledger',
  'tax',
  'invoices',
  'partners',
  'request-log',
  'accounts',
  'payees',
  'oauth',
  'registry',
  'registrars',
  'listings',
  'search',
  'payments',
  'claims',
  'domains',
  'events',
  'alerts',
  'quotes',
  'inventory',
  'referrals',
  'orders',
  'brokerage',
  'settlements',
  'payouts',
  'checkout',
  'offers',
  'agents',
  'transactions',
  'sandbox',
  'privacy',
  'secrets',
]
const MAX_LINES = 300

/** They import types from the layers above them and nothing else: no such import is left at run time. */
const TYPES_ONLY = ['src/core/context.ts', 'src/db/schema.ts']

/** Who writes each table, by area of the domain or other folder of src; whatever else writes one is listed below. */
const OWNERS: Record<string, string> = {
  admin_tokens: 'domain/accounts',
  affiliates: 'domain/partners',
  alerts: 'domain/alerts',
  audit_entries: 'core',
  blocked_domains: 'domain/listings',
  brokerage_cases: 'domain/brokerage',
  brokerage_notes: 'domain/brokerage',
  brokerage_offers: 'domain/brokerage',
  charges: 'domain/payments',
  checkout_sessions: 'domain/checkout',
  claims: 'domain/claims',
  commission_balances: 'domain/ledger',
  commission_entries: 'domain/ledger',
  credentials: 'domain/partners',
  delivery_receipts: 'domain/orders',
  disputes: 'domain/payments',
  embedding_checks: 'domain/search',
  embedding_models: 'domain/search',
  event_streams: 'domain/events',
  events: 'domain/events',
  for_sale_records: 'domain/registrars',
  goodwill_refunds: 'domain/checkout',
  idempotency_keys: 'core',
  installation: 'top',
  invoice_counters: 'domain/invoices',
  invoices: 'domain/invoices',
  label_vectors: 'domain/search',
  ledger_entries: 'domain/ledger',
  ledger_transactions: 'domain/ledger',
  listing_import_parts: 'domain/listings',
  listing_import_rejections: 'domain/listings',
  listing_imports: 'domain/listings',
  listing_postings: 'domain/listings',
  listing_watches: 'domain/listings',
  listings: 'domain/listings',
  live_requests: 'domain/partners',
  mailed_links: 'domain/accounts',
  mails: 'core',
  mandates: 'domain/oauth',
  name_days: 'domain/listings',
  nonces: 'http/partner',
  oauth_clients: 'domain/oauth',
  oauth_codes: 'domain/oauth',
  oauth_grants: 'domain/oauth',
  oauth_tokens: 'domain/oauth',
  offers: 'domain/offers',
  orders: 'domain/orders',
  owned_domains: 'domain/domains',
  partner_invitations: 'domain/accounts',
  partners: 'domain/partners',
  payees: 'domain/payees',
  payment_methods: 'domain/payments',
  payments: 'domain/payments',
  payout_batches: 'domain/payouts',
  payout_lines: 'domain/payouts',
  payouts: 'domain/payouts',
  personal_tokens: 'domain/accounts',
  presence_checks: 'domain/accounts',
  promised_domains: 'domain/domains',
  quotes: 'domain/quotes',
  rate_windows: 'core',
  rdap_bootstrap: 'domain/registry',
  recovery_codes: 'domain/accounts',
  referral_days: 'domain/referrals',
  referral_links: 'domain/referrals',
  referral_totals: 'domain/referrals',
  referral_visitors: 'domain/referrals',
  refund_requests: 'domain/orders',
  refunds: 'domain/orders',
  registrar_domains: 'domain/registrars',
  registrar_messages: 'domain/registrars',
  registrar_operations: 'domain/registrars',
  registrar_sync_domains: 'domain/registrars',
  registrar_syncs: 'domain/registrars',
  registrars: 'domain/registrars',
  registry_answers: 'domain/registry',
  renewals: 'domain/domains',
  request_log: 'domain/request-log',
  sale_days: 'domain/ledger',
  sandbox_listings: 'domain/listings',
  scheduled_jobs: 'core',
  second_factors: 'domain/accounts',
  sessions: 'domain/accounts',
  settlement_receipts: 'domain/settlements',
  settlements: 'domain/ledger',
  signing_keys: 'core',
  site_checks: 'domain/brokerage',
  tld_prices: 'domain/registry',
  users: 'domain/accounts',
  webhook_attempts: 'domain/events',
  webhook_deliveries: 'domain/events',
  webhook_endpoints: 'domain/events',
  webhook_replays: 'domain/events',
}

const EXCEPTIONS: Record<string, string[]> = {
  // Takes a partner's sandbox back to its first day, in every area's tables.
  'src/domain/sandbox/reset-sandbox.ts': [
    'brokerage_cases',
    'checkout_sessions',
    'commission_balances',
    'events',
    'idempotency_keys',
    'ledger_transactions',
    'offers',
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
    'sandbox_listings',
    'settlement_receipts',
    'settlements',
    'webhook_replays',
  ],
  // Lets time pass in a partner's sandbox, in every area's tables.
  'src/domain/sandbox/advance-clock.ts': [
    'brokerage_cases',
    'brokerage_notes',
    'brokerage_offers',
    'checkout_sessions',
    'commission_entries',
    'disputes',
    'idempotency_keys',
    'ledger_transactions',
    'offers',
    'orders',
    'payments',
    'payouts',
    'quotes',
    'referral_links',
    'refunds',
    'sandbox_listings',
    'settlement_receipts',
    'settlements',
    'webhook_deliveries',
    'webhook_endpoints',
  ],
  // Places the inventory that ships with the service.
  'src/domain/sandbox/seed.ts': ['listings'],
  // What an installation remembers of itself is a line for whoever needs one.
  'src/domain/sandbox/demo-partner.ts': ['installation'],
  'src/core/signing-key.ts': ['installation'],
  'src/http/admin/keys.ts': ['installation'],
  'src/domain/listings/complete-postings.ts': ['installation'],
  'src/domain/listings/read-labels.ts': ['installation'],
  // A run closes the period that the ledger opened.
  'src/domain/settlements/run-settlement.ts': ['settlements'],
  // What is paid of a statement stands on it.
  'src/domain/settlements/receive-payment.ts': ['settlements'],
  'src/domain/settlements/overdue.ts': ['settlements'],
  // What a lost key had sealed is given up in every area's tables.
  'src/domain/secrets/forget-secrets.ts': [
    'brokerage_cases',
    'credentials',
    'installation',
    'offers',
    'orders',
    'payees',
    'payout_batches',
    'registrar_operations',
    'registrars',
    'signing_keys',
    'webhook_endpoints',
  ],
  // A user who is erased, or has a new address, is so in every area's tables.
  'src/domain/privacy/move-address.ts': [
    'brokerage_cases',
    'checkout_sessions',
    'offers',
    'orders',
    'payments',
    'promised_domains',
  ],
  'src/domain/privacy/erase-user.ts': [
    'brokerage_cases',
    'brokerage_offers',
    'checkout_sessions',
    'mails',
    'oauth_grants',
    'offers',
    'orders',
    'partner_invitations',
    'payees',
    'payments',
    'users',
  ],
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
const packaged = PACKAGES.flatMap((name) => filesUnder(`packages/${name}/src`, /\.[jt]s$/))
const ours = [
  ...source,
  ...packaged,
  ...tests,
  ...filesUnder('scripts', /\.ts$/),
  ...filesUnder('bench', /\.ts$/),
  ...filesUnder('survive', /\.ts$/),
]

/** `domain/orders`, `http/partner`, `core`, or `top` for what lies in src itself. */
function homeOf(file: string): string {
  const [, layer = '', folder = '', ...rest] = file.split('/')
  if (!folder) return 'top'
  return rest.length > 0 ? `${layer}/${folder}` : layer
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

describe('the layers', () => {
  test('import only themselves and the layers before them', () => {
    const layerOf = (file: string) =>
      LAYERS.findIndex((layer) => layer.includes(homeOf(file).split('/')[0] ?? ''))
    const all = source
      .filter((file) => !TYPES_ONLY.includes(file))
      .flatMap((file) => imports(file).map((target) => ({ file, target })))
    expect(all.length).toBeGreaterThan(100)
    for (const file of source) expect(layerOf(file), file).toBeGreaterThanOrEqual(0)
    expectNone(
      all
        .filter(({ file, target }) => layerOf(target) > layerOf(file))
        .map(({ file, target }) => `${file} imports ${target}`),
    )
    expectNone(
      all
        .filter(({ target }) => !source.includes(target))
        .map(({ file, target }) => `${file} imports ${target}, which is not there`),
    )
  })

  test('packages import only themselves and the packages before them', () => {
    const { workspaces } = JSON.parse(read('package.json'))
    expect(workspaces).toEqual(['client', ...PACKAGES.map((name) => `packages/${name}`)])
    for (const [index, name] of PACKAGES.entries()) {
      const home = `packages/${name}/src/`
      const before = PACKAGES.slice(0, index).map((other) => `domain-marketplace-${other}`)
      const files = packaged.filter((file) => file.startsWith(home))
      expectNone(
        files.flatMap((file) => [
          ...imports(file).filter((target) => !target.startsWith(home)),
          ...[...code(file).matchAll(/'(domain-marketplace-[^']+)'/g)]
            .map(([, other = '']) => other)
            .filter((other) => !before.includes(other))
            .map((other) => `${file} imports ${other}`),
        ]),
      )
    }
  })

  test('what names types of layers above imports types only', () => {
    for (const file of TYPES_ONLY)
      expect(code(file), file).not.toMatch(/^(?:import|export) (?!type |interface )/m)
  })

  test('areas of the domain import only the areas before them', () => {
    const areaOf = (file: string) => AREAS.indexOf(homeOf(file).split('/')[1] ?? '')
    const areas = source.filter((file) => file.startsWith('src/domain/'))
    for (const file of areas) expect(areaOf(file), file).toBeGreaterThanOrEqual(0)
    expectNone(
      areas.flatMap((file) =>
        imports(file)
          .filter((target) => target.startsWith('src/domain/') && areaOf(target) > areaOf(file))
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

  test('gives each parameter its type where rows of tables that Citus can distribute are selected', () => {
    const insert =
      /insert into (idempotency_keys|listing_postings|listing_watches|listings|nonces|rate_windows|request_log|sandbox_listings)\b[^]*?`(?=\.|\n)/g
    // What is no parameter: SQL, or the name of it.
    const isPart =
      /^(?:sql\b|postingKeys\(|countSubjects\(|(?:areKept|columns|isOver|rows|NOTE_CHANGE|SEEN)$)/
    const statements = source.flatMap((file) =>
      [...code(file).matchAll(insert)].map(([statement, table = '']) => ({
        file,
        table,
        statement,
      })),
    )
    expect(new Set(statements.map(({ table }) => table)).size).toBe(7)
    expectNone(
      statements.flatMap(({ file, statement }) =>
        [...statement.matchAll(/\$\{((?:[^{}]|\{[^{}]*\})*)\}(?!::)/g)]
          .filter(([, value = '']) => !isPart.test(value))
          .map(([parameter]) => `${file}: ${parameter}`),
      ),
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
    const found = lines(
      source.filter((file) => !file.startsWith('src/cli/')),
      /\bprocess\s*\.\s*env\b|\bprocess\[|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/,
    )
    // The one place that hands the environment over.
    expectNone(
      found.filter(
        (line) => !/^src\/main\.ts:\d+: const settings = readSettings\(process\.env\)$/.test(line),
      ),
    )
  })

  test('runs every operation through execute', () => {
    expectNone(
      lines(
        source.filter((file) => file !== 'src/core/run-operation.ts'),
        /\.(?:handler|prepare|external\??\.run|rows\??\.read)\s*\??\.?\(|\brunWrite\(/,
      ).filter((line) => !line.startsWith('src/core/write.ts')),
    )
  })

  test('names no payment provider outside its driver, the registry and the settings', () => {
    const allowed = ['src/core/environment.ts', 'src/core/settings.ts']
    expectNone(
      lines(
        source.filter(
          (file) => !file.startsWith('src/domain/payments/') && !allowed.includes(file),
        ),
        /stripe|(?:provider|byId)\b.*'test'/i,
      ),
    )
  })

  test('takes the time from the one clock', () => {
    expectNone(
      lines(
        [...source, ...packaged].filter((file) => file !== 'src/lib/clock.ts'),
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
      [...source, ...packaged]
        // Every table in one place.
        .filter((file) => file !== 'src/db/schema.ts')
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
    const documents = [
      'README.md',
      ...PACKAGES.map((name) => `packages/${name}/README.md`),
      ...filesUnder('docs', /\.md$/),
    ].filter(
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
      'Not http://localhost/src/e.ts, /api/docs/f, nor `migrations/0001-…`, nor src/<layer>/g.ts.',
    ]
    expect(pathsIn(text.join('\n'))).toEqual(['docs/a.md', 'src/b.ts', 'test/c/', 'bench/d.ts'])
  })

  function exists(path: string): boolean {
    return statSync(join(ROOT, path), { throwIfNoEntry: false }) !== undefined
  }

  /** What begins with one of our folders, or links to a file beside the document. */
  function pathsIn(text: string): string[] {
    const folder =
      /(?<![\w./:@-])(?:src|packages|test|docs|scripts|bench|survive|migrations|seed)\/[\w./*{<…-]*/g
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
