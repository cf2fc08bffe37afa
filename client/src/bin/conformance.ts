import { ANSWERS } from '../conformance/answers.ts'
import { CHECKOUT } from '../conformance/checkout.ts'
import { EVENTS } from '../conformance/events.ts'
import { IDEMPOTENCY } from '../conformance/idempotency.ts'
import { type Check, Kit, Skipped } from '../conformance/kit.ts'
import { LIST_READS } from '../conformance/lists.ts'
import { OAUTH } from '../conformance/oauth.ts'
import { PUBLIC } from '../conformance/public.ts'
import { QUOTE_STATES } from '../conformance/quotes.ts'
import { RECEIPTS } from '../conformance/receipts.ts'
import { REFUSALS, SCOPES } from '../conformance/refusals.ts'
import { SEARCH } from '../conformance/search.ts'
import { SIGNING } from '../conformance/signing.ts'
import { ADDRESS_OPTIONS, credentialOf, parse, Usage } from './command.ts'

const GROUPS = {
  signing: SIGNING,
  answers: [...ANSWERS, ...REFUSALS],
  idempotency: IDEMPOTENCY,
  search: SEARCH,
  quotes: QUOTE_STATES,
  checkout: CHECKOUT,
  receipts: RECEIPTS,
  lists: LIST_READS,
  events: EVENTS,
  public: PUBLIC,
  oauth: OAUTH,
}

const HELP = `marketplace conformance

Checks the service at an address against its specification, with a sandbox credential that has the
scopes search, buy and webhook; with embed, broker, refer and report it checks more. It gives back what it
quotes and sells, as far as that can be: a checkout session, a tracked link and one delivered order stay, and
the sandbox grows ten minutes older. Where a rate limit is reached, it waits; what it cannot try is skipped,
and says why. Exit code 0: nothing failed; 1: something did.

  signing       every partner operation rejects what is unsigned, wrongly signed, altered or late, and takes
                a nonce once
  answers       what stands on each answer; the fields of an order; each error with its status and details
  idempotency   keys of POST requests, also of those that come together
  search        5 results, blank queries, names that are not listed, one price everywhere
  quotes        10 minutes, and what a lapsed, used, released or foreign quote is answered; late refunds
  checkout      7 days, and what was never listed
  receipts      none before the delivery; one verified offline; its public address
  lists         order, cursors, limits and filters of the partner's lists; totals of transactions
  events        the history, and one delivery with its second attempt
  public        listings and their cursors, batch, WHOIS, prices and rules of TLDs; bulk for nobody unknown
  oauth         metadata, iss, registration, refusals of authorization and token, masked prices

Not checked: live inventory and what another partner may see; the pages and the payment of a hosted checkout,
and that it ends; brokerage, referral, settlement and payouts beyond their lists; later attempts of a delivery;
an OAuth code's exchange, which needs a user; bulk changes; MCP; the numbers of the rate limits.

  --only GROUPS       some of these groups, with commas between. Default: all
  --replace-webhook   register an endpoint of the kit's own in place of the one there is, which it
                      switches off in the end: register yours again then
  --json              print the outcome as one line of JSON
  --base-url, --key-id   instead of SERVICE_URL and SERVICE_KEY_ID

SERVICE_SECRET is read from the environment alone, and so are SERVICE_LIMITED_KEY_ID with SERVICE_LIMITED_SECRET,
a credential of the same partner that lacks a scope, and SERVICE_ACCESS_TOKEN, a token of OAuth, to see prices. Set
SERVICE_LIMITED_SCOPES to the scopes that the limited credential has, with commas between: every other one must be
refused then. Without it, one that is refused is enough.
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
  }
  return sums.failed === 0 ? 0 : 1
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
