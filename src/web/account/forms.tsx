import { ActionButton, Field } from '../components/form.tsx'
import { Notice } from '../components/parts.tsx'

/** The app that sent somebody here, shown wherever they are asked for a password on its behalf. */
export interface RequestingApp {
  name: string
  host: string
}

interface FormProps {
  next: string
  email?: string
  problem?: string
  /** What is wrong with each field. */
  problems?: { email?: string; password?: string }
  app?: RequestingApp | null
}

function RequestedBy({ app: client }: { app: RequestingApp | null | undefined }) {
  if (!client) return null
  return (
    <p class="lead">
      to continue to <strong>{client.name}</strong> at <code>{client.host}</code>
    </p>
  )
}

export function SignInForm(props: FormProps) {
  return (
    <>
      <CredentialsForm {...props} title="Sign in" path="/sign-in" verb="Sign in" />
      <p class="aside">
        <a href={withNext('/sign-up', props.next)}>Create an account</a>
        {' · '}
        <a href={withNext('/forgot-password', props.next)}>Forgot your password?</a>
      </p>
    </>
  )
}

export function SignUpForm(props: FormProps) {
  return (
    <>
      <CredentialsForm
        {...props}
        title="Create an account"
        path="/sign-up"
        verb="Create account"
        isNew
      />
      <p class="aside">
        Have one already? <a href={withNext('/sign-in', props.next)}>Sign in</a>
      </p>
    </>
  )
}

/** An address and a password: a new one's rules are told before it is chosen. */
function CredentialsForm({
  next,
  email,
  problem,
  problems = {},
  app: client,
  title,
  path,
  verb,
  isNew = false,
}: FormProps & { title: string; path: string; verb: string; isNew?: boolean }) {
  return (
    <>
      <h1>{title}</h1>
      <RequestedBy app={client} />
      {problem !== undefined && <Notice kind="error">{problem}</Notice>}
      <form method="post" action={path}>
        <input type="hidden" name="next" value={next} />
        <Field
          label="E-mail address"
          name="email"
          type="email"
          autocomplete="username"
          value={email}
          problem={problems.email}
          required
          autofocus={email === undefined}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autocomplete={isNew ? 'new-password' : 'current-password'}
          {...(isNew && NEW_PASSWORD)}
          problem={problems.password}
          required
          autofocus={email !== undefined && problems.email === undefined}
        />
        <button type="submit">{verb}</button>
      </form>
    </>
  )
}

const NEW_PASSWORD = {
  hint: 'At least 8 characters; a few words are better than one.',
  minlength: 8,
  maxlength: 200,
}

export function SignOut() {
  return <ActionButton path="/sign-out" label="Sign out" />
}

export function ForgotPasswordForm({ next }: { next: string }) {
  return (
    <>
      <h1>Reset your password</h1>
      <p class="lead">We send a link to your e-mail address. It works once, within an hour.</p>
      <form method="post" action="/forgot-password">
        <input type="hidden" name="next" value={next} />
        <Field label="E-mail address" name="email" type="email" autocomplete="username" required />
        <button type="submit">Send the link</button>
      </form>
      <p class="aside">
        <a href={withNext('/sign-in', next)}>Back to sign-in</a>
      </p>
    </>
  )
}

export function NewPasswordForm({
  token,
  next,
  problem,
}: {
  token: string
  next: string
  problem?: string
}) {
  return (
    <>
      <h1>Choose a new password</h1>
      {problem !== undefined && <Notice kind="error">{problem}</Notice>}
      <form method="post" action="/reset-password">
        <input type="hidden" name="token" value={token} />
        <input type="hidden" name="next" value={next} />
        <Field
          label="New password"
          name="password"
          type="password"
          autocomplete="new-password"
          hint="At least 8 characters. You will be signed out everywhere else."
          minlength={8}
          maxlength={200}
          required
        />
        <button type="submit">Set the password</button>
      </form>
    </>
  )
}

export const SPENT = { title: 'This link no longer works', status: 404, hidden: true }

/** Where a mailed link leads that was used, or is too old. */
export function LinkSpent({ ask, email }: { ask: string; email?: string }) {
  return (
    <>
      <h1>This link no longer works</h1>
      <p>
        It was used before, {email !== undefined && `was sent to another address than ${email}, `}or
        its time is over. <a href={ask}>Ask for a new one</a>
      </p>
    </>
  )
}

/** An address that leads on to where somebody came from. */
export function withNext(address: string, next: string): string {
  if (next === '/account') return address
  return `${address}${address.includes('?') ? '&' : '?'}next=${encodeURIComponent(next)}`
}
