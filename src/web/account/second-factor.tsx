import type { ComponentChildren } from 'preact'
import type { SecondFactor } from '../../domain/accounts/second-factor.ts'
import { ActionButton, Field, Once } from '../components/form.tsx'
import { type Column, Table } from '../components/list.tsx'
import { Day, Empty, Notice } from '../components/parts.tsx'

/** A form that only works with a script, which shows it: a passkey is made or used in the browser. */
function PasskeyForm({
  path,
  options,
  makes = false,
  label,
  children,
}: {
  path: string
  options: object
  makes?: boolean
  label: string
  children: ComponentChildren
}) {
  return (
    <form
      method="post"
      action={path}
      class="narrow"
      hidden
      data-passkey={JSON.stringify(options)}
      data-makes={makes ? 'yes' : undefined}
    >
      {children}
      <input type="hidden" name="response" value="" />
      <p role="status" class="soft" />
      <button type="submit">{label}</button>
    </form>
  )
}

/** Asks for a second factor: a passkey where one can be used, or a code. */
export function AskForFactor({
  path,
  check,
  next,
  passkey,
  problem,
}: {
  path: string
  check: string
  next: string
  passkey: object | null
  problem?: string | undefined
}) {
  const hidden = (
    <>
      <input type="hidden" name="check" value={check} />
      <input type="hidden" name="next" value={next} />
    </>
  )
  return (
    <>
      <h1>Confirm that it is you</h1>
      {problem !== undefined && <Notice kind="error">{problem}</Notice>}
      {passkey && (
        <PasskeyForm path={path} options={passkey} label="Use a passkey">
          {hidden}
        </PasskeyForm>
      )}
      <form method="post" action={path} class="narrow">
        {hidden}
        <Field
          label="Code"
          name="code"
          hint="From your authenticator app, or one of your recovery codes."
          autocomplete="one-time-code"
          maxlength={40}
          required
        />
        <button type="submit" class={passkey ? 'quiet' : 'main'}>
          Confirm
        </button>
      </form>
    </>
  )
}

/** The same of an account without a second factor. */
export function AskForPassword({ next, problem }: { next: string; problem?: string | undefined }) {
  return (
    <>
      <h1>Confirm that it is you</h1>
      <p class="lead">Enter your password once more to go on.</p>
      {problem !== undefined && <Notice kind="error">{problem}</Notice>}
      <form method="post" action="/confirm" class="narrow">
        <input type="hidden" name="next" value={next} />
        <Field
          label="Password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          autofocus
        />
        <button type="submit">Confirm</button>
      </form>
    </>
  )
}

export const SECOND_FACTOR = '/account/second-factor'

const COLUMNS: Column<SecondFactor>[] = [
  { label: 'Name', cell: ({ label }) => label },
  { label: 'Kind', cell: ({ kind }) => (kind === 'totp' ? 'authenticator app' : 'passkey') },
  { label: 'Added', cell: ({ created_at }) => <Day at={created_at} /> },
  { label: 'Last used', cell: ({ last_used_at }) => <Day at={last_used_at} none="never" /> },
  {
    label: '',
    cell: ({ factor_id, label }) => (
      <ActionButton
        path={`${SECOND_FACTOR}/remove`}
        fields={{ factor_id }}
        label="Remove"
        about={label}
        confirm={`Remove ${label}? You cannot sign in with it any more.`}
      />
    ),
  },
]

/** The user's second factors, and how to add one. */
export function SecondFactors({
  factors,
  codesLeft,
  passkey,
  check,
}: {
  factors: SecondFactor[]
  codesLeft: number
  passkey: object
  check: string
}) {
  return (
    <>
      <p class="lead">
        A second factor keeps your account yours when somebody learns your password. You are asked
        for it when you sign in, and before money or secrets are changed.
      </p>
      <Table
        caption="Your second factors"
        columns={COLUMNS}
        rows={factors}
        empty={<Empty title="None yet">Add an authenticator app or a passkey below.</Empty>}
      />
      <h2>Add one</h2>
      <PasskeyForm path={`${SECOND_FACTOR}/passkey`} options={passkey} makes label="Add a passkey">
        <input type="hidden" name="check" value={check} />
        <Field
          label="Name of the passkey"
          name="label"
          placeholder="This laptop"
          maxlength={100}
          autocomplete="off"
        />
      </PasskeyForm>
      <form method="post" action={`${SECOND_FACTOR}/app`}>
        <Once />
        <button type="submit" class="quiet">
          Add an authenticator app
        </button>
      </form>
      {factors.length > 0 && (
        <>
          <h2>Recovery codes</h2>
          <p>
            {codesLeft === 0
              ? 'You have none left.'
              : `You have ${codesLeft} left; each works once, when you have nothing else.`}
          </p>
          <ActionButton path={`${SECOND_FACTOR}/codes`} label="Make new codes" />
        </>
      )}
    </>
  )
}

/** The secret of an app, as a picture and as text, until a code of it was typed. */
export function SetUpApp({
  factorId,
  secret,
  picture,
  problem,
}: {
  factorId: string
  secret: string
  /** As a data URL. */
  picture: string
  problem?: string | undefined
}) {
  return (
    <>
      <p>Scan this with your authenticator app, or type the key into it.</p>
      <p>
        <img src={picture} alt="QR code of the key below" width="220" height="220" />
      </p>
      <p>
        <code>{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
      </p>
      <form method="post" action={`${SECOND_FACTOR}/app/confirm`} class="narrow">
        <input type="hidden" name="factor_id" value={factorId} />
        <Field
          label="The code that the app shows"
          name="code"
          inputmode="numeric"
          autocomplete="one-time-code"
          maxlength={10}
          problem={problem}
          required
        />
        <button type="submit">Add</button>
      </form>
    </>
  )
}

/** Shown once: whoever has one of them is let in. */
export function RecoveryCodes({ codes }: { codes: string[] }) {
  return (
    <section class="panel roomy apart">
      <h2>Your recovery codes</h2>
      <p>
        Keep them where you keep passwords. Each lets you in once when you have no other factor, and
        they are not shown again.
      </p>
      <pre>
        <code id="recovery-codes">{codes.join('\n')}</code>{' '}
        <button type="button" class="quiet small" data-copy="recovery-codes">
          Copy
        </button>
      </pre>
    </section>
  )
}
