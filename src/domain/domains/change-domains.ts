import { userWrite } from '../../core/operation.ts'
import { activeMethod } from '../payments/payment-method.ts'
import { assertParams, ChangeInput, ChangeOutput, namesIn, resultOf } from './change-outcome.ts'
import { changeOwnedDomains } from './change-owned-domains.ts'
import { connectionFor } from './registrar.ts'
import { performersOfOwned, renewDomains } from './renew-domains.ts'

/** One operation on many of a user's own domains (contract, section 13). */
export const changeDomains = userWrite({
  name: 'change_domains',
  tool: 'manage_domains',
  summary: 'One change to up to 1,000 domains that you own',
  description:
    'Applies one operation to up to 1,000 domains of the user who has signed in: with the session of the ' +
    'pages, or with a personal access token that the user made. Each name succeeds or fails by itself. ' +
    'With `dry_run` nothing is changed, and the response says what would happen. Renewals are charged from ' +
    'the price book to the payment method that the user saved, all of a call in one charge; a name is ' +
    'renewed only once the charge has succeeded, and has the status 202 until its outcome is known. Where ' +
    'a registrar has the name, `renew`, `lock`, `unlock`, `set_nameservers` and `set_privacy` are handed to ' +
    'it: the name has the status 202 and an `operation_id`, and a renewal is authorized on the card, performed, ' +
    'and then captured. With real registries and no registrar connection that can do it, the name fails with ' +
    '409 and `details.reason` `registrar_not_connected`, and nothing is charged.',
  method: 'POST',
  path: '/api/domains/bulk/{op}',
  rate: 'public',
  scope: 'domains:manage',
  cacheSeconds: 0,
  input: ChangeInput,
  output: ChangeOutput,
  status: 200,
  errors: ['validation_error', 'unauthorized', 'forbidden', 'insufficient_scope', 'conflict'],
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
  prepare: ({ app, userId }, input) => performersOfOwned(app, userId, input),
  /** Whatever needs no money. */
  async handler({ tx, now, app, userId, requestId, prepared: performers }, input) {
    assertParams(input)
    const { op, params, dry_run: dryRun } = input
    const method = await activeMethod(tx, userId, app.settings.paymentProvider)
    const hasCard = method !== undefined
    const wanted = { op, params, domains: namesIn(input), dryRun, performers, hasCard }
    const { errors, operations } = await changeOwnedDomains({ tx, now, app }, userId, wanted)
    return resultOf(input, requestId, (domain) => {
      const operationId = operations.get(domain)
      if (operationId !== undefined) return { operationId }
      const isHandedOn = connectionFor(performers, domain) !== null
      return errors.get(domain) ?? (isHandedOn ? 202 : 200)
    })
  },
  /** Renewals that are meant are charged. */
  external: {
    applies: ({ op, dry_run }) => op === 'renew' && !dry_run,
    run: renewDomains,
  },
})
