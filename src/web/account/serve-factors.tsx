import type { FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { AppContext } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { assertUnderLimit } from '../../core/rate-limits.ts'
import { inTransaction } from '../../db/transaction.ts'
import { addPasskey, registrationOptions, type Site } from '../../domain/accounts/passkey.ts'
import { beginCheck, endCheck, findCheck } from '../../domain/accounts/presence-check.ts'
import {
  appBeingSetUp,
  beginApp,
  confirmApp,
  listFactors,
  type NewApp,
  newRecoveryCodes,
  recoveryCodesLeft,
  removeFactor,
} from '../../domain/accounts/second-factor.ts'
import { assertConfirmed, type User } from '../../domain/accounts/user.ts'
import type { Web } from '../../http/web.ts'
import { errorText } from '../components/humanize.ts'
import { Notice } from '../components/parts.tsx'
import { assertRecent, type PageContext, type signedInPages } from '../layout/page-context.ts'
import { sendAccountPage } from './account-page.tsx'
import { RecoveryCodes, SECOND_FACTOR, SecondFactors, SetUpApp } from './second-factor.tsx'

/** Wrong codes a minute for one account, wherever they come from: a code has a million values. */
export const TRIES_PER_MINUTE = 5

/** The account page of second factors: each change needs a recent sign-in. */
export function serveFactors(
  pages: ReturnType<typeof signedInPages>,
  app: AppContext,
  web: Web,
  site: Site,
): void {
  const { db, secrets } = app
  pages.formsOf(
    SECOND_FACTOR,
    ...['app', 'app/confirm', 'passkey', 'remove', 'codes'].map(
      (form) => `${SECOND_FACTOR}/${form}`,
    ),
  )
  pages.get(SECOND_FACTOR, async (page) => {
    assertRecent(page)
    return await showFactors(page)
  })

  pages.post(`${SECOND_FACTOR}/app`, async (page) => {
    assertMayAdd(page)
    const { user } = page.session
    const made = await inTransaction(app, (tx) =>
      beginApp({ tx, now: page.now, secrets }, user, site.name),
    )
    return await showSetUp(page, made)
  })

  pages.post(`${SECOND_FACTOR}/app/confirm`, async (page) => {
    assertMayAdd(page)
    const { form, now } = page
    const { user } = page.session
    const factorId = form.get('factor_id') ?? ''
    await countTry(user, now)
    try {
      await inTransaction(app, (tx) =>
        confirmApp({ tx, now, secrets }, user, factorId, form.get('code') ?? ''),
      )
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'validation_error') throw error
      const made = await inTransaction(app, (tx) =>
        appBeingSetUp({ tx, secrets }, user, factorId, site.name),
      )
      return await showSetUp(page, made, 'That is not the code that the app shows now.')
    }
    return await afterAdding(page)
  })

  pages.post(`${SECOND_FACTOR}/passkey`, async (page) => {
    assertMayAdd(page)
    const { form, now } = page
    const { user } = page.session
    const token = form.get('check') ?? ''
    try {
      await inTransaction(app, async (tx) => {
        const check = await findCheck(tx, now, token)
        if (check?.userId !== user.id || !(await endCheck(tx, token))) {
          throw new ApiError('not_found', 'This page was open for too long. Try again.')
        }
        const given = {
          response: form.get('response') ?? '',
          label: form.get('label')?.trim() ?? '',
        }
        await addPasskey(tx, now, site, user, { ...given, challenge: check.challenge })
      })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      const notice = <Notice kind="error">{errorText(error)}</Notice>
      return await showFactors(page, { notice, status: error.status })
    }
    return await afterAdding(page)
  })

  pages.post(`${SECOND_FACTOR}/remove`, async (page) => {
    assertRecent(page)
    const { form, now, session, goOn } = page
    const factorId = form.get('factor_id') ?? ''
    await inTransaction(app, (tx) => removeFactor(tx, now, session.user, factorId))
    return goOn(SECOND_FACTOR, 'Removed. It does not let anybody in any more.')
  })

  pages.post(`${SECOND_FACTOR}/codes`, async (page) => {
    assertMayAdd(page)
    const { user } = page.session
    const codes = await inTransaction(app, (tx) => newRecoveryCodes(tx, user.id))
    return await showFactors(page, { notice: <RecoveryCodes codes={codes} /> })
  })

  /** Of an address that nobody has confirmed, whoever signed up first could else lock its owner out. */
  function assertMayAdd(page: PageContext): void {
    assertRecent(page)
    assertConfirmed(page.session.user)
  }

  async function countTry(user: User, now: Date): Promise<void> {
    const subject = `second_factor:${user.id}`
    assertUnderLimit(await web.count({ subject, limit: TRIES_PER_MINUTE, now }), now)
  }

  /** With the first factor come the codes for when it is lost. */
  async function afterAdding(page: PageContext): Promise<FastifyReply> {
    const { user } = page.session
    const added = <Notice kind="good">Added. You are asked for it from the next sign-in on.</Notice>
    if ((await recoveryCodesLeft(db, user.id)) > 0)
      return await showFactors(page, { notice: added })
    const codes = await inTransaction(app, (tx) => newRecoveryCodes(tx, user.id))
    const notice = (
      <>
        {added}
        <RecoveryCodes codes={codes} />
      </>
    )
    return await showFactors(page, { notice })
  }

  async function showFactors(
    page: PageContext,
    { notice = null, status = 200 }: { notice?: VNode | null; status?: number } = {},
  ): Promise<FastifyReply> {
    const { user } = page.session
    const factors = await listFactors(db, user.id)
    const passkey = await registrationOptions(site, user, factors)
    const check = await beginCheck(db, page.now, user.id, passkey.challenge)
    return sendAccountPage(
      page,
      { title: 'Second factor', at: SECOND_FACTOR, status, notice, scripts: ['passkey'] },
      <SecondFactors
        factors={factors}
        codesLeft={await recoveryCodesLeft(db, user.id)}
        passkey={passkey}
        check={check}
      />,
    )
  }

  async function showSetUp(
    page: PageContext,
    { factorId, secret, uri }: NewApp,
    problem?: string,
  ): Promise<FastifyReply> {
    const { toDataURL } = await import('qrcode')
    return sendAccountPage(
      page,
      { title: 'Add an authenticator app', at: SECOND_FACTOR, status: problem ? 400 : 200 },
      <SetUpApp
        factorId={factorId}
        secret={secret}
        picture={await toDataURL(uri, { width: 220, margin: 1 })}
        problem={problem}
      />,
    )
  }
}
