import { ApiError, conflict } from '../../core/errors.ts'
import { pageWrite } from '../../core/operation.ts'
import { mustFindUser } from '../accounts/user.ts'
import { MARKETPLACE_PARTNER } from '../partners/partner.ts'
import { siteOf } from './eligibility.ts'
import { countRunning } from './list-buyers-cases.ts'
import { OpenCaseInput, startCase } from './open-case.ts'
import { CaseView } from './view-case.ts'

/** A case keeps others from asking for its name, so nobody may hold many. */
const MAX_RUNNING = 10
const PARTNER = { partnerId: MARKETPLACE_PARTNER, environment: 'live' } as const

/** A user has the marketplace's broker ask for a domain that is taken, once their address is confirmed. */
export const askForDomain = pageWrite({
  name: 'ask_for_domain',
  input: OpenCaseInput.omit({ buyer_email: true, currency: true }),
  output: CaseView,
  async prepare({ db, app, caller }, { domain }) {
    const user = await mustFindUser(db, caller.user?.id ?? '')
    if (user.email_confirmed_at === null) {
      throw new ApiError('forbidden', 'Confirm your e-mail address first: we have sent you a link.')
    }
    return { user, site: await siteOf(app, PARTNER.environment, domain) }
  },
  async handler({ tx, now, app, prepared: { user, site } }, input) {
    if ((await countRunning(tx, PARTNER, user.email)) >= MAX_RUNNING) {
      throw conflict(
        'limit_reached',
        `You have ${MAX_RUNNING} offers running. Wait for one to end.`,
      )
    }
    const opened = { ...input, buyer_email: user.email }
    return await startCase({ tx, now, app, partner: PARTNER, site }, opened)
  },
})
