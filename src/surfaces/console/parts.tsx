import type { ComponentChildren, ComponentProps } from 'preact'
import { ActionButton, Once } from '../pages/form.tsx'
import { amount } from '../pages/money.ts'
import { Badge, Moment, Tabs } from '../pages/parts.tsx'
import { besideField, issuesOf, toneOf } from '../pages/spoken.ts'
import type { Look } from './desk.tsx'

/** A form that does an operation: it goes to the page it stands on, and a second click repeats the first. */
export function Form({
  does,
  fields = {},
  confirm,
  children,
}: {
  /** The operation's name. */
  does: string
  fields?: Readonly<Record<string, string>>
  /** Asked before it is sent, where scripts run. */
  confirm?: string | undefined
  children: ComponentChildren
}) {
  const hidden = { do: does, ...fields }
  return (
    <form method="post" data-confirm={confirm}>
      <Once />
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {children}
    </form>
  )
}

/** A form that is one button. */
export function Do({
  does,
  fields,
  ...button
}: { does: string } & Omit<ComponentProps<typeof ActionButton>, 'path' | 'small'>) {
  return <ActionButton fields={{ do: does, ...fields }} {...button} />
}

/** What a button of several says; `confirm` is asked before it is sent, where scripts run. */
export type Choice = [value: string, label: string, confirm?: string | undefined]

/** The buttons of a form that has several. Enter in a field presses the first, so that one does nothing. */
export function Choices({
  name,
  choices,
  small = false,
  children,
}: {
  name: string
  choices: readonly Choice[]
  small?: boolean
  /** Further buttons. */
  children?: ComponentChildren
}) {
  return (
    <div class={small ? 'group' : 'actions'}>
      <button type="submit" formmethod="dialog" formnovalidate hidden />
      {choices.map(([value, label, confirm], index) => (
        <button
          type="submit"
          name={name}
          value={value}
          class={`${index === 0 ? 'main' : 'quiet'} ${small ? 'small' : ''}`}
          data-confirm={confirm}
        >
          {label}
        </button>
      ))}
      {children}
    </div>
  )
}

/** Badges and buttons beside each other; in a table they are one thing. */
export function Group({ children }: { children: ComponentChildren }) {
  return <div class="group">{children}</div>
}

/** A moment of an answer. */
export function At({ at, none }: { at: string | null; none?: string }) {
  return <Moment at={at === null ? null : new Date(at)} {...(none !== undefined && { none })} />
}

/** Asks for a file to load; what is in it says which columns it has. */
export function CsvFile({ children }: { children: ComponentChildren }) {
  return (
    <label class="field">
      <span>File</span>
      <input type="file" name="file" accept=".csv,text/csv" required aria-describedby="file-note" />
      <small id="file-note" class="hint">
        {children}
      </small>
    </label>
  )
}

export function Amount({ cents, currency }: { cents: number | null; currency: string }) {
  return <>{amount(cents, currency)}</>
}

export function Percent({ bps }: { bps: number }) {
  return <>{`${bps / 100} %`}</>
}

/** The same page, live or sandbox. */
export function EnvironmentTabs({ look, path }: { look: Look; path: string }) {
  const sandbox = `${path}?environment=sandbox`
  return (
    <Tabs
      label="Environment"
      at={look.environment === 'live' ? path : sandbox}
      tabs={[
        [path, 'Live'],
        [sandbox, 'Sandbox'],
      ]}
    />
  )
}

/** A filter that a list keeps while it is searched anew. */
export function Kept({ look }: { look: Look }) {
  return look.environment === 'live' ? null : (
    <input type="hidden" name="environment" value={look.environment} />
  )
}

export function PartnerLink({
  look,
  id,
  names,
}: {
  look: Look
  id: string
  names: ReadonlyMap<string, string>
}) {
  return <a href={look.href(`/operator/partners/${id}`)}>{names.get(id) ?? id}</a>
}

export function Status({ text }: { text: string }) {
  return <Badge tone={toneOf(text)} text={text.toLowerCase()} />
}

/** What was written into a form that was refused, and what is wrong with each of its fields. */
export function refusedForm({ refused }: Look, does: string) {
  const mine = refused?.does === does ? refused : null
  const issues = mine ? issuesOf(mine.refusal) : []
  return {
    isOpen: mine !== null,
    value: (name: string, otherwise = '') => mine?.form.get(name) ?? otherwise,
    problem: (name: string) => {
      const inCents = name.replace(/_amount$/, '_cents').replace(/_percent$/, '_bps')
      const found = issues.find(({ field }) => field === name || field === inCents)
      return found && besideField(found.issue)
    },
  }
}
