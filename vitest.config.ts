import { configDefaults, defineConfig } from 'vitest/config'

/** What does the same on either database: slow, of no database at all, or the pages of what others test. */
const SAME_ON_POSTGRESQL = [
  'packages/**',
  'test/accounts/**',
  'test/admin/{cli-commands,cli-list,roles}.test.ts',
  'test/agents/{stripe,tools}.test.ts',
  'test/brokerage/{cases,page,states}.test.ts',
  'test/browser/**',
  'test/checkout/{disputes,referral,stripe}.test.ts',
  'test/client/**',
  'test/console/**',
  'test/delivery/**',
  'test/docs/**',
  'test/domains/{renewal-disputes,renewals,selling,stripe-cards,terms}.test.ts',
  'test/events/isolation.test.ts',
  'test/http/{conflict-reasons,declared-errors,errors,transport,uploads}.test.ts',
  'test/landers/**',
  'test/lib/**',
  'test/market/**',
  'test/mcp/**',
  'test/oauth/**',
  'test/offers/pages.test.ts',
  'test/partner/{authentication,clock,faults,order-states,scopes}.test.ts',
  'test/payments/**',
  'test/payouts/{payees,stripe}.test.ts',
  'test/portal/**',
  'test/process/{admin-listener,backup,cli,cli-money,config-print,mcp-remote,npm-scripts,release,telemetry,unread-log}.test.ts',
  'test/public/**',
  'test/registrars/{driver-contract,epp,epp-connection,epp-transfer}.test.ts',
  'test/registry/**',
  'test/sandbox/own-pages.test.ts',
  'test/search/embeddings.test.ts',
  'test/tidy.test.ts',
]

export default defineConfig(({ mode }) => ({
  resolve: { tsconfigPaths: true },
  test: {
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      ...(process.env.TEST_DATABASE_URL ? SAME_ON_POSTGRESQL : []),
      // They build an image and fetch what they need for it: npm run test:deploy.
      ...(mode === 'deploy' ? [] : ['test/deploy/**']),
    ],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/quick-passwords.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Each file has a service and a database of its own, so the modules are loaded once for many.
    isolate: false,
    // Transformed once for many runs: half of what a run of one file took.
    experimental: { fsModuleCache: true },
    pool: 'forks',
    // Many services come and go in a process: with room for what is young, it collects garbage less often.
    execArgv: ['--max-semi-space-size=128'],
    // They wait for jobs, mails and timers much of the time, also on two cores.
    maxWorkers: 3,
  },
}))
