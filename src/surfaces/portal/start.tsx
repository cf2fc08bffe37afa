import type { FastifyReply } from 'fastify'
import { conflict, Refusal } from '../../kernel/errors.ts'
import { SCOPES } from '../../kernel/operation.ts'
import { openPartner, partnerNameField } from '../../modules/accounts/open-partner.ts'
import { insertCredential } from '../../modules/partners/create-credential.ts'
import { hasCredential, newKeyPair } from '../../modules/partners/credential.ts'
import {
  LiveRequestInput,
  latestLiveRequest,
  requestLive,
} from '../../modules/partners/live-request.ts'
import { checkInput } from '../input.ts'
import { Field, TextArea } from '../pages/form.tsx'
import { sendPage } from '../pages/frame.tsx'
import { Badge, Heading, Moment, Notice } from '../pages/parts.tsx'
import { toneOf } from '../pages/spoken.ts'
import type { Visit } from '../pages/visit.ts'
import { showSecret } from './credentials.tsx'
import { newOnce, readOnce } from './once.ts'
import { issueWith, type Portal } from './portal.tsx'

/** How a user becomes a partner, and a partner gets live access. */
export function serveStart(portal: Portal): void {
  const { house, pages } = portal

  pages.get('/partner', async (visit) => {
    const account = await portal.accountOf(visit.session.user.partner_id)
    if (!account) return showStart(visit)
    return visit.reply.redirect(`/partner/${account.live_approved_at ? 'live' : 'sandbox'}`, 303)
  })

  pages.post('/partner', async (visit) => {
    const { form, now, session } = visit
    const name = partnerNameField.safeParse(form.get('name') ?? '')
    if (!name.success) return showStart(visit, `It ${name.error.issues[0]?.message}.`, form)
    const pair = readOnce(house, visit, 'partner')
    const made = await portal.write(now, async (context) => {
      const { partnerId, isNew } = await openPartner(context, session.user.id, name.data)
      // Sent again it is the same credential; a user who had a partner before gets none by it.
      if (!isNew && !(await hasCredential(context.tx, partnerId, pair.keyId))) return null
      return await insertCredential(context, partnerId, 'sandbox', [...SCOPES], pair)
    })
    const account = made && (await portal.accountOf(made.partner_id))
    if (!account) return visit.goOn('/partner')
    const entered = portal.enterAs(visit, account, 'sandbox')
    return showSecret(portal, entered, made, `Welcome, ${account.name}`)
  })

  pages.get('/partner/live-access', (visit) => showLiveAccess(visit))

  pages.post('/partner/live-access', async (visit) => {
    const { form, now, session } = visit
    const { user } = session
    const account = await portal.accountOf(user.partner_id)
    if (!account) return visit.goOn('/partner')
    try {
      if (user.email_confirmed_at === null) {
        throw conflict('Please confirm your e-mail address first: we have sent you a link.')
      }
      const asked = checkInput(LiveRequestInput, {
        use_case: form.get('use_case')?.replace(/\r\n?/g, '\n').trim() ?? '',
        website: form.get('website')?.trim() || null,
      })
      await portal.write(now, (context) => requestLive(context, account.id, user.email, asked))
      return visit.goOn('/partner/live-access', 'We have your request, and will write to you.')
    } catch (error) {
      if (!(error instanceof Refusal) || error.status >= 500) throw error
      return await showLiveAccess(visit, error, form)
    }
  })

  async function showLiveAccess(
    visit: Visit,
    problem?: Refusal,
    form?: URLSearchParams,
  ): Promise<FastifyReply> {
    const account = await portal.accountOf(visit.session.user.partner_id)
    if (!account) return visit.goOn('/partner')
    const request = await latestLiveRequest(house.db, account.id)
    const isLive = account.live_approved_at !== null
    return portal.show(
      portal.enterAs(visit, account, 'live'),
      { title: 'Live access', at: '/live-access', problem },
      <>
        <Heading title="Live access">
          {request && <Badge tone={toneOf(request.status)} text={request.status} />}
        </Heading>
        {isLive ? (
          <>
            <p class="lead">
              You may sell for real since <Moment at={account.live_approved_at} />.
            </p>
            <a class="button" href="/partner/live/credentials">
              Make a live credential
            </a>
          </>
        ) : (
          <p class="lead">
            In the sandbox everything can be tried. To sell for real, tell us what you do: we look
            at each request ourselves, and write to you.
          </p>
        )}
        {request?.status === 'pending' && (
          <>
            <Notice kind="info">
              You asked on <Moment at={request.created_at} />. We will write to{' '}
              {request.requested_by}.
            </Notice>
            <q>{request.use_case}</q>
          </>
        )}
        {request?.status === 'declined' && (
          <Notice kind="warn">
            Declined on <Moment at={request.decided_at} />: {request.reason} You can ask again.
          </Notice>
        )}
        {!isLive && request?.status !== 'pending' && (
          <form method="post" action="/partner/live-access">
            <TextArea
              label="What do you sell, to whom, and how do you collect?"
              name="use_case"
              value={form?.get('use_case') ?? ''}
              problem={issueWith(problem, 'use_case')}
              rows={5}
              maxlength={2000}
              required
            />
            <Field
              label="Your website"
              name="website"
              type="url"
              value={form?.get('website') ?? ''}
              problem={issueWith(problem, 'website')}
              placeholder="https://"
            />
            <button type="submit">Ask for live access</button>
          </form>
        )}
      </>,
    )
  }

  function showStart(visit: Visit, problem?: string, form?: URLSearchParams): FastifyReply {
    return sendPage(
      visit.reply,
      {
        title: 'Become a partner',
        status: problem === undefined ? 200 : 400,
        viewer: visit.session.user,
        hidden: true,
        scripts: ['page'],
      },
      <>
        <h1>Become a partner</h1>
        <p class="lead">
          Sell our domains in your own shop. You get a sandbox credential at once, with test names,
          test cards and no money in it.
        </p>
        <form method="post" action="/partner">
          <input
            type="hidden"
            name="once"
            value={form?.get('once') ?? newOnce(house, visit, 'partner', newKeyPair('sandbox'))}
          />
          <Field
            label="Company or project"
            name="name"
            value={form?.get('name') ?? ''}
            problem={problem}
            maxlength={200}
            autocomplete="organization"
            required
          />
          <button type="submit">Get my sandbox credential</button>
        </form>
        <p class="aside">Your colleague has an account here already? Ask them to invite you.</p>
      </>,
    )
  }
}
