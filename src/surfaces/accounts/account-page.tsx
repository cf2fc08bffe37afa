import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'
import { transact } from '../../kernel/database/transaction.ts'
import type { House } from '../../kernel/house.ts'
import { hashPassword, passwordField } from '../../modules/accounts/password.ts'
import {
  insertPersonalToken,
  labelField,
  listPersonalTokens,
  revokePersonalToken,
} from '../../modules/accounts/personal-token.ts'
import { endSession, listSessions, type SignedIn } from '../../modules/accounts/session.ts'
import { setPassword } from '../../modules/accounts/user.ts'
import { countHoldings, listHoldings } from '../../modules/holdings/holding.ts'
import { listGrants, revokeGrant } from '../../modules/oauth/access.ts'
import { Field, Notice, sendPage } from '../pages/frame.tsx'
import { readForm } from '../pages/same-origin.ts'
import type { Web } from '../web.ts'
import { readSession } from './cookie.ts'
import { checkPassword } from './sign-in.ts'

const SHOWN_DOMAINS = 50

/** What a person sees and changes of their own account. */
export function serveAccountPage(app: FastifyInstance, house: House, web: Web): void {
  const { db, clock, server, settings } = house
  const page = { config: { page: true as const } }

  app.get('/account', page, async (request, reply) => {
    await web.countUnauthenticated(request, clock.now())
    const session = await readSession(request, house)
    if (!session) return reply.redirect('/sign-in', 303)
    return await show(reply, session, null)
  })

  post('/account/tokens', async ({ reply, session, form, now }) => {
    const label = labelField.safeParse(form.get('label')?.trim() || 'Unnamed')
    if (!label.success) {
      return await show(reply, session, <Notice kind="error">Give it a shorter name.</Notice>, 400)
    }
    const { token } = await insertPersonalToken(db, now, session.user.id, label.data)
    return await show(
      reply,
      session,
      <Notice kind="good">
        Your new token, shown this once: <code>{token}</code>
      </Notice>,
    )
  })
  post('/account/tokens/revoke', async ({ reply, session, form }) => {
    await revokePersonalToken(db, session.user.id, form.get('id') ?? '')
    return reply.redirect('/account', 303)
  })
  post('/account/sessions/end', async ({ reply, session, form }) => {
    await endSession(db, session.user.id, form.get('id') ?? '')
    return reply.redirect('/account', 303)
  })
  post('/account/apps/revoke', async ({ reply, session, form, now }) => {
    await revokeGrant(db, now, session.user.id, form.get('id') ?? '')
    return reply.redirect('/account', 303)
  })
  post('/account/password', async ({ request, reply, session, form }) => {
    const { email, id } = session.user
    const current = { email, password: form.get('current') ?? '' }
    if (!(await checkPassword(house, web, request, current))) {
      const problem = <Notice kind="error">Your present password is another.</Notice>
      return await show(reply, session, problem, 400)
    }
    const next = passwordField.safeParse(form.get('password') ?? '')
    if (!next.success) {
      const problem = `The new password ${next.error.issues[0]?.message}.`
      return await show(reply, session, <Notice kind="error">{problem}</Notice>, 400)
    }
    const hash = await hashPassword(next.data)
    await transact(server, (tx) => setPassword(tx, id, hash, session.sessionId))
    const done = <Notice kind="good">Your password is changed; other sessions have ended.</Notice>
    return await show(reply, session, done)
  })

  interface Posted {
    request: FastifyRequest
    reply: FastifyReply
    session: SignedIn
    form: URLSearchParams
    now: Date
  }

  function post(path: string, work: (posted: Posted) => Promise<FastifyReply>): void {
    app.post(path, page, async (request, reply) => {
      const now = clock.now()
      await web.countUnauthenticated(request, now)
      const form = readForm(request, settings.baseUrl)
      const session = await readSession(request, house)
      if (!session) return reply.redirect('/sign-in', 303)
      return await work({ request, reply, session, form, now })
    })
  }

  async function show(
    reply: FastifyReply,
    { user, sessionId }: SignedIn,
    notice: ComponentChildren,
    status = 200,
  ): Promise<FastifyReply> {
    const [sessions, tokens, grants, domains, total] = await Promise.all([
      listSessions(db, clock.now(), user.id),
      listPersonalTokens(db, user.id),
      listGrants(db, user.id),
      listHoldings(db, user.id, SHOWN_DOMAINS),
      countHoldings(db, user.id),
    ])
    return sendPage(
      reply,
      { title: 'Your account', wide: true, status, corner: user.email },
      <>
        <h1>Your account</h1>
        {notice}
        {user.email_confirmed_at === null && (
          <Notice kind="info">Please confirm your address: we have sent you a link.</Notice>
        )}
        <Section title={`Domains (${total})`} empty="You own no domains here yet.">
          {domains.map((row) => (
            <tr key={row.domain}>
              <td>
                <code>{row.domain}</code>
              </td>
              <td>until {day(row.expires_at)}</td>
              <td>
                {row.locked && <span class="badge">locked</span>}{' '}
                {row.auto_renew && <span class="badge">renews itself</span>}{' '}
                {row.privacy && <span class="badge">private</span>}
              </td>
            </tr>
          ))}
        </Section>
        <Section title="Apps that you let in" empty="None.">
          {grants.map((grant) => (
            <tr key={grant.id}>
              <td>{grant.name}</td>
              <td>since {day(grant.created_at)}</td>
              <td>
                <Button path="/account/apps/revoke" id={grant.id} label="Remove" />
              </td>
            </tr>
          ))}
        </Section>
        <Section title="Personal access tokens" empty="None.">
          {tokens.map((token) => (
            <tr key={token.id}>
              <td>{token.label}</td>
              <td>{token.last_used_at ? `last used ${day(token.last_used_at)}` : 'never used'}</td>
              <td>
                <Button path="/account/tokens/revoke" id={token.id} label="Revoke" />
              </td>
            </tr>
          ))}
        </Section>
        <form method="post" action="/account/tokens">
          <Field label="Name of a new token" name="label" maxlength={100} required />
          <button type="submit" class="quiet">
            Make a token
          </button>
        </form>
        <Section title="Sessions" empty="None.">
          {sessions.map((session) => (
            <tr key={session.id}>
              <td>{session.user_agent || 'An unknown browser'}</td>
              <td>{day(session.last_seen_at)}</td>
              <td>
                {session.id === sessionId ? (
                  <span class="badge">this one</span>
                ) : (
                  <Button path="/account/sessions/end" id={session.id} label="End" />
                )}
              </td>
            </tr>
          ))}
        </Section>
        <h2>Password</h2>
        <form method="post" action="/account/password">
          <Field
            label="Present password"
            name="current"
            type="password"
            autocomplete="current-password"
            required
          />
          <Field
            label="New password"
            name="password"
            type="password"
            autocomplete="new-password"
            minlength={8}
            maxlength={200}
            required
          />
          <button type="submit" class="quiet">
            Change it
          </button>
        </form>
        <form method="post" action="/sign-out">
          <button type="submit">Sign out</button>
        </form>
      </>,
    )
  }
}

function Section({
  title,
  empty,
  children,
}: {
  title: string
  empty: string
  children: ComponentChildren[]
}) {
  return (
    <section>
      <h2>{title}</h2>
      {children.length === 0 ? (
        <p class="soft">{empty}</p>
      ) : (
        <div class="panel">
          <table>
            <tbody>{children}</tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function Button({ path, id, label }: { path: string; id: string; label: string }) {
  return (
    <form method="post" action={path}>
      <input type="hidden" name="id" value={id} />
      <button type="submit" class="quiet small">
        {label}
      </button>
    </form>
  )
}

function day(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}
