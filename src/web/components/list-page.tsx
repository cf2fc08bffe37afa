import type { ComponentChildren, VNode } from 'preact'
import type { z } from 'zod'
import type { Contract } from '../../core/contract.ts'
import { ApiError } from '../../core/errors.ts'
import type { Query } from '../layout/query.ts'
import { addressOf, type Column, Filters, Pager, Table } from './list.tsx'
import { type FieldsOf, OperationFilters, typedIn } from './operation-fields.tsx'
import { Empty, Heading, Tabs } from './parts.tsx'

/** What a list needs of the request that it is shown to. */
export interface ListRequest {
  query: Query
  /** Stands before the path of every page of the section, such as `/partner/sandbox`. */
  base: string
  /** What every address of the section keeps of its query, such as the environment. */
  kept: Query
}

export type RowsKey<Found> = {
  [Key in keyof Found]: Found[Key] extends readonly object[] ? Key : never
}[keyof Found]
type RowOf<Found, Key extends keyof Found> = Found[Key] extends readonly (infer Row)[] ? Row : never

/** What one operation lists, as a page: declared once, read and rendered by its section. */
export interface ListPage<
  Page extends ListRequest,
  I extends z.ZodObject,
  O extends z.ZodType,
  Key extends RowsKey<z.output<O>>,
> {
  title: string
  path: string
  /** The field of the response that holds the rows. */
  rows: Key
  lead?: ComponentChildren
  /** What every reader of the list asks for. */
  input?: Partial<z.input<I>>
  /** Stands beside the title, such as a link to a file of the list. */
  aside?(page: Page): ComponentChildren
  /** Tabs by the `view` of the address, each with what it fixes of the operation's input; the first is `''`. */
  views?: Readonly<Record<string, { label: string; input: Partial<z.input<I>> }>>
  /** Fields of the input that the list can be searched by; those that the view fixes are left out. */
  filters?: FieldsOf<I>
  columns(
    page: Page,
    rows: RowOf<z.output<O>, Key>[],
  ): Column<RowOf<z.output<O>, Key>>[] | Promise<Column<RowOf<z.output<O>, Key>>[]>
  /** Said where there are no rows at all: that it is so, and what brings the first. */
  empty: readonly [title: string, text?: ComponentChildren]
  /** What stands above the filters. `found` is null when a filter was rejected. */
  above?(page: Page, found: z.output<O> | null): VNode | null | Promise<VNode | null>
  footer?(page: Page): VNode
}

/** What the address asks of the list's operation. */
export function inputOfList<Page extends ListRequest>(
  {
    input,
    views,
    filters = {},
  }: Pick<ListPage<Page, z.ZodObject, z.ZodType, never>, 'input' | 'views' | 'filters'>,
  { query }: Page,
): Record<string, unknown> {
  const typed = Object.keys(filters).map((name) => [name, query[name]])
  const fixed = { ...input, ...views?.[query.view ?? '']?.input }
  return { ...Object.fromEntries(typed), ...fixed, cursor: query.cursor }
}

/** What was found, or what is wrong with the filters, which anybody may have typed. */
export async function foundOr<Found>(
  read: () => Promise<Found>,
): Promise<[found: Found, problem: undefined] | [found: null, problem: ApiError]> {
  try {
    return [await read(), undefined]
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
    return [null, error]
  }
}

/** The list as HTML. `tabs` leads to the same list elsewhere, such as the other environment. */
export async function renderList<
  Page extends ListRequest,
  I extends z.ZodObject,
  O extends z.ZodType,
  Key extends RowsKey<z.output<O>>,
>(
  list: ListPage<Page, I, O, Key> & { operation: Contract<I, O> },
  page: Page,
  found: z.output<O> | null,
  problem: ApiError | undefined,
  tabs?: VNode,
): Promise<VNode> {
  const { operation, title, path, views, empty } = list
  const { query, kept } = page
  const view = query.view !== undefined && views?.[query.view] ? query.view : ''
  const fixed = Object.keys(views?.[view]?.input ?? {})
  const filters = Object.entries(list.filters ?? {}).filter(([name]) => !fixed.includes(name))
  const isSet = filters.some(([name]) => query[name] !== undefined)
  const address = page.base + path
  const inView = (view: string) => addressOf(address, { ...kept, view })
  const rows =
    found === null ? undefined : (found as Record<Key, RowOf<z.output<O>, Key>[]>)[list.rows]
  const next = (found as { next_cursor?: string | null } | null)?.next_cursor ?? null
  return (
    <>
      <Heading title={title}>{list.aside?.(page)}</Heading>
      {list.lead && <p class="lead">{list.lead}</p>}
      {tabs}
      {views && (
        <Tabs
          label={title}
          at={inView(view)}
          tabs={Object.entries(views).map(([each, { label }]) => [inView(each), label])}
        />
      )}
      {await list.above?.(page, found)}
      {filters.length > 0 && (
        <Filters path={inView(view)} isSet={isSet}>
          {Object.entries({ ...kept, view }).map(
            ([name, value]) => value && <input type="hidden" name={name} value={value} />,
          )}
          <OperationFilters
            operation={operation}
            fields={Object.fromEntries(filters) as FieldsOf<I>}
            typed={typedIn(new Map(Object.entries(query)), problem)}
          />
        </Filters>
      )}
      <Table
        isMain
        caption={title}
        rows={rows}
        columns={rows === undefined ? [] : await list.columns(page, rows)}
        empty={
          isSet ? (
            <Empty title="No results">Change the filters, or clear them.</Empty>
          ) : (
            <Empty title={empty[0]}>{empty[1]}</Empty>
          )
        }
      />
      <Pager path={address} query={query} next={next} />
      {list.footer?.(page)}
    </>
  )
}
