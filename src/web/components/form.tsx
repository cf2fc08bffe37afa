import { randomUUID } from 'node:crypto'
import type { ComponentChildren } from 'preact'

interface Labelled {
  label: string
  name: string
  hint?: string | undefined
  /** What is wrong with it, and how to right it. */
  problem?: string | undefined
}

/** A labelled input; `hint` and `problem` are read out with it. */
export function Field({
  label,
  name,
  hint,
  problem,
  ...input
}: Labelled & {
  type?: string
  value?: string | undefined
  autocomplete?: string
  autocapitalize?: 'off'
  spellcheck?: boolean
  required?: boolean
  minlength?: number
  maxlength?: number
  min?: string
  max?: string
  autofocus?: boolean
  inputmode?: 'numeric' | 'decimal' | 'email' | 'tel' | 'text' | 'search' | 'url'
  placeholder?: string
}) {
  return (
    <Label {...{ label, name, hint, problem }}>
      <input name={name} {...(input as object)} {...described(name, hint, problem)} />
    </Label>
  )
}

/** A choice of one among few; an empty value is none of them. */
export function Select({
  label,
  name,
  hint,
  problem,
  value = '',
  options,
}: Labelled & {
  value?: string | undefined
  options: readonly (readonly [value: string, label: string])[]
}) {
  return (
    <Label {...{ label, name, hint, problem }}>
      <select name={name} {...described(name, hint, problem)}>
        {options.map(([each, text]) => (
          <option value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </Label>
  )
}

/** Text of several lines; `code` is text that a machine wrote. */
export function TextArea({
  label,
  name,
  hint,
  problem,
  value = '',
  code = false,
  ...area
}: Labelled & {
  value?: string | undefined
  code?: boolean
  rows?: number
  required?: boolean
  maxlength?: number
  placeholder?: string
}) {
  return (
    <Label {...{ label, name, hint, problem }}>
      <textarea
        name={name}
        class={code ? 'code' : undefined}
        spellcheck={!code}
        {...described(name, hint, problem)}
        {...area}
      >
        {value}
      </textarea>
    </Label>
  )
}

export function Check({
  label,
  name,
  value = 'yes',
  checked = false,
  required = false,
  problem,
}: {
  label: ComponentChildren
  name: string
  value?: string
  checked?: boolean
  required?: boolean
  problem?: string | undefined
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        {...{ name, value, checked, required }}
        {...described(name, undefined, problem)}
      />
      <span>
        {label}
        {problem !== undefined && (
          <small id={`${name}-note`} class="problem">
            {problem}
          </small>
        )}
      </span>
    </label>
  )
}

/** Tells a form that is sent twice from two forms. */
export function Once() {
  return <input type="hidden" name="once" value={randomUUID()} />
}

/** A form that is one button: what it does to what. Without a path it goes to the page that it stands on. */
export function ActionButton({
  path,
  label,
  about,
  fields = {},
  kind = 'quiet',
  small = true,
  confirm,
}: {
  path?: string
  label: string
  /** What it is done to, for those who hear the page. */
  about?: string | undefined
  fields?: Readonly<Record<string, string>>
  kind?: 'main' | 'quiet' | 'danger'
  small?: boolean
  /** Asked before it is sent, where scripts run. */
  confirm?: string | undefined
}) {
  return (
    <form method="post" action={path} data-confirm={confirm}>
      {fields.once === undefined && <Once />}
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button
        type="submit"
        class={`${kind} ${small ? 'small' : ''}`}
        aria-label={about === undefined ? undefined : `${label} ${about}`}
      >
        {label}
      </button>
    </form>
  )
}

function Label({
  label,
  name,
  hint,
  problem,
  children,
}: Labelled & { children: ComponentChildren }) {
  const note = problem ?? hint
  return (
    <label class="field">
      <span>{label}</span>
      {children}
      {note !== undefined && (
        <small id={`${name}-note`} class={problem === undefined ? 'hint' : 'problem'}>
          {note}
        </small>
      )}
    </label>
  )
}

function described(name: string, hint: string | undefined, problem: string | undefined) {
  return {
    'aria-describedby': (problem ?? hint) === undefined ? undefined : `${name}-note`,
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
    // The browser takes the first of them, which is where the reader goes on.
    ...(problem !== undefined && { autofocus: true }),
  }
}
