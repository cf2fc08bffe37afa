import type { ComponentChildren, ComponentProps, VNode } from 'preact'
import type { z } from 'zod'
import type { AdminWrite } from '../../core/operation.ts'
import { partnerNames } from '../../domain/partners/partner.ts'
import { ActionButton, Once } from '../components/form.tsx'
import type { Column } from '../components/list.tsx'
import { amount } from '../components/money.ts'
import { type FieldsOf, OperationFields, typedIn } from '../components/operation-fields.tsx'
import { Copyable, Notice, Tabs } from '../components/parts.tsx'
import type { ConsoleContext } from './page.ts'

/**
 * A form that runs an operation, with fields by the operation's schema. It goes to the page that it stands on,
 * which has the operation among its actions; a second click repeats the first.
 */
export function Form<I extends z.ZodObject, O extends z.ZodType>({
  page,
  does,
  given = {},
  fields = {},
  collapsed,
  submit,
  kind = 'quiet',
  confirm,
  children,
}: {
  page: ConsoleContext
  does: AdminWrite<I, O>
  /** What the form sends beside its fields. */
  given?: Readonly<Record<string, string>>
  fields?: FieldsOf<I>
  /** The form opens behind these words. */
  collapsed?: string
  /** The words of its button; absent: the buttons are among the children. */
  submit?: string
  kind?: 'main' | 'quiet' | 'danger'
  /** Asked before it is sent, where scripts run. */
  confirm?: string | undefined
  children?: ComponentChildren
}) {
  const { rejected } = page
  const isMine =
    rejected?.does === does.name &&
    Object.entries(given).every(([name, value]) => rejected.form.get(name) === value)
  const form = (
    <form method="post" data-confirm={confirm}>
      <Once />
      {Object.entries({ do: does.name, ...given }).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <OperationFields
        operation={does}
        fields={fields}
        typed={isMine ? typedIn(rejected.form, rejected.error) : typedIn(undefined, null)}
      />
      {children}
      {submit !== undefined && (
        <button type="submit" class={kind}>
          {submit}
        </button>
      )}
    </form>
  )
  if (collapsed === undefined) return form
  return (
    <details open={isMine}>
      <summary>{collapsed}</summary>
      {form}
    </details>
  )
}

/** A form that is one button. */
export function Do({
  does,
  fields,
  ...button
}: { does: { name: string } } & Omit<ComponentProps<typeof ActionButton>, 'path' | 'small'>) {
  return <ActionButton fields={{ do: does.name, ...fields }} {...button} />
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

/** A secret, which no other page shows. */
export function secretOnce(what: string, id: string, secret: string): VNode {
  return (
    <Notice kind="good">
      {what} Copy the secret now: it is not shown again.
      <Copyable id={`secret-${id}`} text={secret} />
    </Notice>
  )
}

export function Amount({ cents, currency }: { cents: number | null; currency: string }) {
  return <>{amount(cents, currency)}</>
}

/** The same page, live or sandbox. */
export function EnvironmentTabs({ page, path }: { page: ConsoleContext; path: string }) {
  const sandbox = `${path}?environment=sandbox`
  return (
    <Tabs
      label="Environment"
      at={page.environment === 'live' ? path : sandbox}
      tabs={[
        [path, 'Live'],
        [sandbox, 'Sandbox'],
      ]}
    />
  )
}

/** A column with the partner of each row, by name. */
export async function partnerColumn(
  page: ConsoleContext,
  rows: readonly { partner_id: string }[],
): Promise<Column<{ partner_id: string }>> {
  const ids = rows.map(({ partner_id }) => partner_id)
  const names = await partnerNames(page.app.db, ids)
  return {
    label: 'Partner',
    cell: ({ partner_id: id }) => <PartnerLink page={page} id={id} names={names} />,
  }
}

export function PartnerLink({
  page,
  id,
  names,
}: {
  page: ConsoleContext
  id: string
  names: ReadonlyMap<string, string>
}) {
  return <a href={page.href(`/operator/partners/${id}`)}>{names.get(id) ?? id}</a>
}
