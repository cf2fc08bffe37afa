import { ANSWERS } from '../conformance/answers.ts'
import { BATCH } from '../conformance/batch.ts'
import { CHECKOUT } from '../conformance/checkout.ts'
import { EVENTS } from '../conformance/events.ts'
import { Skipped } from '../conformance/expect.ts'
import { IDEMPOTENCY } from '../conformance/idempotency.ts'
import { type Check, Kit } from '../conformance/kit.ts'
import { LIST_READS } from '../conformance/lists.ts'
import { MONEY_READS } from '../conformance/money.ts'
import { OAUTH } from '../conformance/oauth.ts'
import { ORIGINS } from '../conformance/origins.ts'
import { PUBLIC } from '../conformance/public.ts'
import { QUOTE_STATES } from '../conformance/quotes.ts'
import { RECEIPTS } from '../conformance/receipts.ts'
import { REFUSALS } from '../conformance/refusals.ts'
import { SCOPE_CHECKS, SCOPES } from '../conformance/scopes.ts'
import { SEARCH } from '../conformance/search.ts'
import { SIGNING } from '../conformance/signing.ts'
import { ADDRESS_OPTIONS, credentialOf, parse, Usage } from './command.ts'

const GROUPS = {
  signing: SIGNING,
  answers: [...ANSWERS, ...REFUSALS, ...SCOPE_CHECKS],
  idempotency: IDEMPOTENCY,
  search: SEARCH,
  quotes: QUOTE_STATES,
  checkout: CHECKOUT,
  receipts: RECEIPTS,
  lists: [...LIST_READS, ...MONEY_READS],
  events: EVENTS,
  public: [...PUBLIC, ...BATCH, ORIGINS.public],
  oauth: [...OAUTH, ORIGINS.oauth],
}

/** The groups that need no credential. */
const UNSIGNED = ['public', 'oauth']

const HELP = `marketplace conformance

Checks the service at an address against its specification. It needs a sandbox credential with the scopes
search, buy and webhook, and checks more with embed, broker, refer and report. It refunds its orders and releases
its quotes. What stays in the sandbox: checkout sessions, up to four tracked links and one delivered order; and the
sandbox grows ten minutes older. At a rate limit it waits. A check that cannot run is skipped, with the reason.

Exit code 0: no check failed; 1: a check failed, or was skipped with --strict, or a secret is wrong.

  signing       every partner operation rejects requests that are unsigned, wrongly signed, altered or late, and
                takes a nonce once; the likely cause of a wrong signature
  answers       headers of every response; the fields of an order; each error with its status and details; every
                operation rejects a credential that lacks its scope
  idempotency   keys of POST requests, also of those that come together
  search        5 results, best first; filters; blank queries; names that are not listed; one price everywhere
  quotes        10 minutes; expired, used, released and foreign quotes; the reason of each conflict; refunds
  checkout      7 days; names that were never listed
  receipts      none before the delivery; one verified offline; its public address; the public keys
  lists         order, cursors, limits and filters of the partner's lists; totals, statements and payouts
  events        the history, and one delivery with its second attempt
  public        listings and their cursors, batch, WHOIS, prices and rules of TLDs, CORS, OpenAPI documents; bulk
                changes without a user
  oauth         metadata, iss, registration, errors of authorization and token, CORS, bad tokens,
                masked prices

Not checked: live inventory and what another partner may see; the pages and the payment of a hosted checkout,
and that it ends; brokerage, referral, settlement and payouts beyond their lists; later attempts of a delivery;
an OAuth code's exchange, which needs a user; bulk changes; MCP; the numbers of the rate limits.

  --only GROUPS       some of these groups, separated by commas. Default: all
  --strict            fail if a check was skipped
  --replace-webhook   register an endpoint of the kit in place of yours, and switch it off in the end:
                      register yours again then
  --json              print the outcome as one line of JSON
  --base-url, --key-id   instead of SERVICE_URL and SERVICE_KEY_ID

Set SERVICE_SECRET in the environment; no option takes it. Optional, in the environment too:

  SERVICE_LIMITED_KEY_ID, SERVICE_LIMITED_SECRET   a credential of the same partner that lacks a scope
  SERVICE_LIMITED_SCOPES   its scopes, separated by commas: every operation that needs another one must be
                           rejected. Without them, the kit asks with one call of each scope which it has
  SERVICE_ACCESS_TOKEN     an access token of OAuth, to check that it shows prices
`

interface Outcome {
  group: string
  rule: string
  title: string
  outcome: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped. */
  reason: string | null
}

/** Runs the checks one after another, and answers the exit code. */
export async function conformance(args: string[]): Promise<number> {
  const values = parse(args, {
    ...ADDRESS_OPTIONS,
    only: { type: 'string' },
    'replace-webhook': { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const names = values.only?.split(',') ?? Object.keys(GROUPS)
  const unknown = names.find((name) => !Object.hasOwn(GROUPS, name))
  if (unknown !== undefined) throw new Usage(`--only: there is no group ${unknown}.`)
  const checks = names.flatMap((name) => GROUPS[name as keyof typeof GROUPS])
  const kit = new Kit({
    ...credentialOf(values),
    limited: limitedCredential(),
    accessToken: process.env['SERVICE_ACCESS_TOKEN'] || undefined,
    replaceWebhook: values['replace-webhook'],
  })
  await kit.readClock().catch((error: unknown) => {
    throw new Error(`${kit.options.baseUrl} does not answer: ${(error as Error).message}`)
  })

  if (names.some((name) => !UNSIGNED.includes(name))) await kit.proveSecrets()

  const outcomes: Outcome[] = []
  for (const check of checks) {
    const outcome = await outcomeOf(check, kit)
    outcomes.push(outcome)
    if (!values.json) print(outcome, outcomes.at(-2)?.group)
  }
  await kit.tidy().catch(() => {})
  const count = (wanted: Outcome['outcome']) =>
    outcomes.filter(({ outcome }) => outcome === wanted).length
  const sums = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
  if (values.json) process.stdout.write(`${JSON.stringify({ ...sums, checks: outcomes })}\n`)
  else {
    const { passed, failed, skipped } = sums
    process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`)
    if (skipped > 0) {
      process.stdout.write(
        `${skipped} of ${outcomes.length} checks could not run: this is no complete pass.\n`,
      )
    }
  }
  const isPass = sums.failed === 0 && !(values.strict && sums.skipped > 0)
  return isPass ? 0 : 1
}

function limitedCredential() {
  const { SERVICE_LIMITED_KEY_ID: keyId, SERVICE_LIMITED_SECRET: secret } = process.env
  const scopes = (process.env['SERVICE_LIMITED_SCOPES'] || undefined)?.split(',')
  const unknown = scopes?.find((scope) => !SCOPES.includes(scope))
  if (unknown !== undefined) {
    throw new Usage(`SERVICE_LIMITED_SCOPES: there is no scope ${unknown}.`)
  }
  return keyId && secret ? { keyId, secret, scopes } : undefined
}

async function outcomeOf({ group, rule, title, run }: Check, kit: Kit): Promise<Outcome> {
  try {
    await run(kit)
    return { group, rule, title, outcome: 'passed', reason: null }
  } catch (error) {
    // Whatever a broken service makes a check stumble over is a failure of that service.
    const outcome = error instanceof Skipped ? 'skipped' : 'failed'
    return { group, rule, title, outcome, reason: (error as Error).message }
  } finally {
    await kit.giveBack().catch(() => {})
  }
}

const MARKS = { passed: 'ok  ', failed: 'FAIL', skipped: 'skip' }

function print({ group, rule, title, outcome, reason }: Outcome, last: string | undefined): void {
  if (group !== last) process.stdout.write(`\n${group}\n`)
  process.stdout.write(`  ${MARKS[outcome]}  ${rule.padEnd(28)} ${title}\n`)
  if (reason !== null) process.stdout.write(`${' '.repeat(37)}${reason}\n`)
}
