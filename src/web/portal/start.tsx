import type { FastifyReply } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { openPartner, partnerNameField } from '../../domain/accounts/open-partner.ts'
import { assertConfirmed } from '../../domain/accounts/user.ts'
import { newKeyPair } from '../../domain/partners/credential.ts'
import { askForLive, latestLiveRequest } from '../../domain/partners/live-request.ts'
import { Field, TextArea } from '../components/form.tsx'
import { toneOf } from '../components/humanize.ts'
import { Badge, Heading, Notice, Timestamp } from '../components/parts.tsx'
import { sendPage } from '../layout/frame.tsx'
import type { PageContext } from '../layout/page-context.ts'
import { showSecret } from './credentials.tsx'
import { openFormSecret, sealFormSecret } from './form-secret.ts'
import { issueWith, type Portal } from './portal.tsx'

/** How a user becomes a partner, and a partner gets live access. */
export function serveStart(portal: Portal): void {
  const { app, pages } = portal

  pages.get('/partner', async (page) => {
    const account = await portal.accountOf(page.session.user.partner_id)
    if (!account) return showStart(page)
    return page.reply.redirect(`/partner/${account.live_approved_at ? 'live' : 'sandbox'}`, 303)
  })

  pages.post('/partner', async (page) => {
    const { form } = page
    const name = partnerNameField.safeParse(form.get('name') ?? '')
    if (!name.success) return showStart(page, `It ${name.error.issues[0]?.message}.`, form)
    const { keyId: key_id, secret } = openFormSecret(app, page, 'partner')
    const made = await portal.write(page, openPartner, { name: name.data, key_id, secret })
    const account = made && (await portal.accountOf(made.partner_id))
    if (!account) return page.goOn('/partner')
    const entered = portal.enterAs(page, account, 'sandbox')
    return showSecret(portal, entered, made, `Welcome, ${account.name}`)
  })

  pages.get('/partner/live-access', (page) => showLiveAccess(page))

  pages.post('/partner/live-access', async (page) => {
    const { form, session } = page
    const { user } = session
    const account = await portal.accountOf(user.partner_id)
    if (!account) return page.goOn('/partner')
    try {
      assertConfirmed(user)
      const partner = { partnerId: account.id, environment: 'live' } as const
      await portal.write({ ...page, partner }, askForLive, {
        use_case: form.get('use_case')?.replace(/\r\n?/g, '\n').trim(),
        website: form.get('website')?.trim(),
      })
      return page.goOn('/partner/live-access', 'We have your request, and will write to you.')
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      return await showLiveAccess(page, error, form)
    }
  })

  async function showLiveAccess(
    page: PageContext,
    problem?: ApiError,
    form?: URLSearchParams,
  ): Promise<FastifyReply> {
    const account = await portal.accountOf(page.session.user.partner_id)
    if (!account) return page.goOn('/partner')
    const request = await latestLiveRequest(app.db, account.id)
    const isLive = account.live_approved_at !== null
    return portal.show(
      portal.enterAs(page, account, 'live'),
      { title: 'Live access', at: '/live-access', problem },
      <>
        <Heading title="Live access">
          {request && <Badge tone={toneOf(request.status)} text={request.status} />}
        </Heading>
        {isLive ? (
          <>
            <p class="lead">
              You may sell for real since <Timestamp at={account.live_approved_at} />.
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
              You asked on <Timestamp at={request.created_at} />. We will write to{' '}
              {request.requested_by}.
            </Notice>
            <q>{request.use_case}</q>
          </>
        )}
        {request?.status === 'declined' && (
          <Notice kind="warn">
            Declined on <Timestamp at={request.decided_at} />: {request.reason} You can ask again.
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

  function showStart(page: PageContext, problem?: string, form?: URLSearchParams): FastifyReply {
    return sendPage(
      page.reply,
      {
        title: 'Become a partner',
        status: problem === undefined ? 200 : 400,
        viewer: page.session.user,
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
            value={form?.get('once') ?? sealFormSecret(app, page, 'partner', newKeyPair('sandbox'))}
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
