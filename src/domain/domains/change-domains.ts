import { userWrite } from '../../core/operation.ts'
import { activeMethod } from '../payments/payment-method.ts'
import { assertParams, ChangeInput, ChangeOutput, namesIn, resultOf } from './change-outcome.ts'
import { changeOwnedDomains } from './change-owned-domains.ts'
import { renewDomains } from './renew-domains.ts'

/** One operation on many of a user's own domains (contract, section 13). */
export const changeDomains = userWrite({
  name: 'change_domains',
  summary: 'One change to up to 1,000 domains that you own',
  description:
    'Applies one operation to up to 1,000 domains of the user who has signed in: with the session of the ' +
    'pages, or with a personal access token that the user made. Each name succeeds or fails by itself. ' +
    'With `dry_run` nothing is changed, and the answer says what would happen. Renewals are charged from ' +
    'the price book to the payment method that the user saved, all of a call in one charge; a name is ' +
    'renewed only once the charge has succeeded, and has the status 202 until its outcome is known. Where ' +
    'real registries are asked, `renew`, `lock`, `unlock`, `set_nameservers` and `set_privacy` need a ' +
    'registrar connection: without one a name fails with 409 and `details.reason` ' +
    '`registrar_not_connected`, and nothing is charged.',
  method: 'POST',
  path: '/api/domains/bulk/{op}',
  rate: 'public',
  cacheSeconds: 0,
  input: ChangeInput,
  output: ChangeOutput,
  status: 200,
  errors: ['validation_error', 'unauthorized', 'forbidden', 'conflict'],
  example: {
    input: { op: 'set_auto_renew', domains: ['petpantry.com'], params: { enabled: true } },
    output: {
      op: 'set_auto_renew',
      dry_run: false,
      count: 1,
      succeeded: 1,
      failed: 0,
      pending: 0,
      results: [{ domain: 'petpantry.com', status: 200 }],
    },
  },
  /** Whatever needs no money. */
  async handler({ tx, now, app, userId, requestId }, input) {
    assertParams(input)
    const { op, params, dry_run: dryRun } = input
    const { settings } = app
    const method = await activeMethod(tx, userId, settings.paymentProvider)
    const hasCard = method !== undefined
    const wanted = { op, params, domains: namesIn(input), dryRun, settings, hasCard }
    const errors = await changeOwnedDomains(tx, now, userId, wanted)
    return resultOf(input, requestId, (domain) => errors.get(domain) ?? 200)
  },
  /** Renewals that are meant are charged. */
  external: {
    applies: ({ op, dry_run }) => op === 'renew' && !dry_run,
    run: renewDomains,
  },
})
