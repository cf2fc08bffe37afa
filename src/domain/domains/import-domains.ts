import { z } from 'zod'
import { domainField } from '../../core/fields.ts'
import { adminWrite } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { hashPassword, passwordField } from '../accounts/password.ts'
import {
  accountEmailField,
  insertUser,
  mustFindUser,
  UserView,
  viewUser,
} from '../accounts/user.ts'
import { giveTrialCard } from '../payments/payment-method.ts'
import { addOwnedDomains } from './owned-domain.ts'
import { copyTerms, endPromises, givePromised } from './transfer-to-buyer.ts'

/** Of one call, so that they are all given or none. */
const MAX_DOMAINS = 100_000
/** So many, as long as names are at most. */
const BODY_LIMIT = 25 * 1024 ** 2
const domainsField = z
  .array(domainField)
  .max(MAX_DOMAINS, `must hold ${MAX_DOMAINS} domains at most`)
  .transform((domains) => [...new Set(domains)])

/** Opens an account whose address the operator vouches for, with what its user owns. */
export const createUser = adminWrite({
  name: 'create_user',
  roles: ADMINS,
  summary: 'Open an account, with the domains that its user owns',
  method: 'POST',
  path: '/users',
  subject: 'user_id',
  bodyLimit: BODY_LIMIT,
  input: z.object({
    email: accountEmailField,
    password: passwordField,
    domains: domainsField.default([]),
  }),
  output: UserView.extend({ domain_count: z.int() }),
  status: 201,
  errors: ['validation_error', 'conflict'],
  prepare: async (_context, { password }) => hashPassword(password),
  async handler({ tx, now, app, prepared: passwordHash }, { email, domains }) {
    const user = await insertUser(tx, now, { email, passwordHash, confirmed: true })
    await giveTrialCard(tx, now, user.id, app.settings.paymentProvider)
    await givePromised(tx, now, user)
    const domain_count = await addOwnedDomains({ tx, now, app }, user.id, domains)
    return { ...viewUser(user), domain_count }
  },
})

/** Gives a user domains that were registered elsewhere. */
export const importDomains = adminWrite({
  name: 'import_domains',
  roles: ADMINS,
  summary: 'Give a user domains',
  method: 'POST',
  path: '/users/{user_id}/domains',
  bodyLimit: BODY_LIMIT,
  input: z.object({
    user_id: z.string(),
    domains: domainsField,
    buyer_email: accountEmailField
      .optional()
      .describe(
        "The address that they were bought with here, if it was mistyped: the domains that wait for it become the user's.",
      ),
  }),
  output: z.object({ user_id: z.string(), domain_count: z.int(), imported: z.int() }),
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async handler({ tx, now, app }, { user_id, domains, buyer_email }) {
    await mustFindUser(tx, user_id)
    const bought = buyer_email === undefined ? [] : await endPromises(tx, buyer_email, domains)
    const imported = await addOwnedDomains({ tx, now, app }, user_id, domains)
    await copyTerms(tx, bought)
    return { user_id, domain_count: domains.length, imported }
  },
})
