import type { ComponentChildren } from 'preact'
import { dateOf } from '../../core/fields.ts'
import { DAY, HOUR, MINUTE } from '../../lib/clock.ts'
import { counted, stateText, toneOf } from './humanize.ts'

export type Tone = 'plain' | 'info' | 'good' | 'warn' | 'bad'

/** What went wrong, or well, above what it is about. */
export function Notice({
  kind,
  children,
}: {
  kind: 'error' | 'warn' | 'good' | 'info'
  children: ComponentChildren
}) {
  return (
    <p class={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      {children}
    </p>
  )
}

/** A page's title, with what can be done on the page at its side. */
export function Heading({
  title,
  children,
}: {
  title: ComponentChildren
  children?: ComponentChildren
}) {
  return (
    <div class="heading">
      <h1>{title}</h1>
      {children}
    </div>
  )
}

/** A state in a word or two, such as `delivered`; underscores are read as spaces. */
export function Badge({ tone = 'plain', text }: { tone?: Tone; text: string }) {
  return <span class={`badge ${tone}`}>{text.replaceAll('_', ' ')}</span>
}

/** A state by its name on the wire, in the colour that it has everywhere. */
export function Status({ text }: { text: string }) {
  return <Badge tone={toneOf(text)} text={stateText(text)} />
}

/** A moment to the minute: `2026-11-21 10:04 UTC`. */
export function Timestamp({ at, none = '–' }: { at: Date | null; none?: string }) {
  if (at === null) return <>{none}</>
  const iso = at.toISOString()
  return <time datetime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`}</time>
}

/** A moment of a response, to the minute. */
export function At({ at, none }: { at: string | null; none?: string }) {
  return <Timestamp at={at === null ? null : new Date(at)} {...(none !== undefined && { none })} />
}

/** How long ago it was, to see at a glance what waits longest: `3 days`; the moment itself is its title. */
export function Age({ at, now }: { at: string; now: Date }) {
  const iso = new Date(at).toISOString()
  return (
    <time datetime={iso} title={`${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`}>
      {ageText(now.getTime() - new Date(at).getTime())}
    </time>
  )
}

function ageText(milliseconds: number): string {
  if (milliseconds < 2 * HOUR)
    return counted(Math.max(1, Math.floor(milliseconds / MINUTE)), 'minute')
  if (milliseconds < 2 * DAY) return counted(Math.floor(milliseconds / HOUR), 'hour')
  return counted(Math.floor(milliseconds / DAY), 'day')
}

/** A day in UTC: `2026-11-21`. */
export function Day({ at, none = '–' }: { at: Date | null; none?: string }) {
  if (at === null) return <>{none}</>
  const day = dateOf(at)
  return <time datetime={day}>{day}</time>
}

/** Figures of one page, side by side. */
export function Stats({
  stats,
}: {
  stats: { label: string; value: ComponentChildren; note?: string }[]
}) {
  return (
    <dl class="stats">
      {stats.map(({ label, value, note }) => (
        <div>
          <dt>{label}</dt>
          <dd>
            {value}
            {note !== undefined && <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Names and values, one a line. */
export function Facts({ facts }: { facts: [name: ComponentChildren, value: ComponentChildren][] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  )
}

/** Nothing to show, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children}
    </div>
  )
}

/** How far a long piece of work has come; `total` null is not known yet. */
export function Progress({
  label,
  done,
  total,
}: {
  label: string
  done: number
  total: number | null
}) {
  return (
    <p>
      <label>
        {label}: {done.toLocaleString('en-US')}
        {total !== null && ` of ${total.toLocaleString('en-US')}`}
        <progress {...(total === null ? {} : { value: done, max: Math.max(total, 1) })} />
      </label>
    </p>
  )
}

/** Neighbouring views of one thing. */
export function Tabs({
  label,
  at,
  tabs,
}: {
  label: string
  at: string
  tabs: readonly [path: string, label: string][]
}) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([path, text]) => (
        <a href={path} aria-current={path === at ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  )
}

/** How much of an id's end is always seen: ids of one hour differ in it. */
const ID_END = 6

/**
 * An id, to be copied rather than read. In a row its middle is cut off by the style alone, so that selecting it or
 * having it read aloud gives the whole.
 */
export function Id({ id, href }: { id: string; href?: string }) {
  const cut = Math.max(0, id.length - ID_END)
  const code = (
    <code title={id}>
      <span>{id.slice(0, cut)}</span>
      <span>{id.slice(cut)}</span>
    </code>
  )
  return (
    <span class="id">
      {href === undefined ? code : <a href={href}>{code}</a>}
      <button type="button" class="copy-id" data-copy="" aria-label={`Copy ${id}`} hidden />
    </span>
  )
}

/** The same below what a row is called by. */
export function IdBelow({ id }: { id: string }) {
  return (
    <small class="below">
      <Id id={id} />
    </small>
  )
}

/** Text to be taken elsewhere, such as a secret that is shown once; a button copies it where scripts run. */
export function Copyable({ id, text }: { id: string; text: string }) {
  return (
    <pre>
      <code id={id}>{text}</code>{' '}
      <button type="button" class="quiet small" data-copy={id}>
        Copy
      </button>
    </pre>
  )
}
