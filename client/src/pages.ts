import { MarketplaceError } from './errors.ts'
import type { CallOptions } from './transport.ts'

/** Walks a list page after page: one request a page, each when its first item is asked for. */
export async function* eachOf<Query, Page, Item>(
  list: (query: Query, options?: CallOptions) => Promise<Page>,
  query: Query,
  options: CallOptions | undefined,
  take: (page: Page) => { items: readonly Item[]; next: string | null },
  parameter = 'cursor',
): AsyncGenerator<Item, void, undefined> {
  for (let from = query, last: string | null = null; ; ) {
    const { items, next } = take(await list(from, options))
    if (!Array.isArray(items) || (next && next === last)) {
      throw new MarketplaceError('A page of the list has no rows, or leads to itself.')
    }
    yield* items
    // Absent too: another service's answer must not be walked for ever.
    if (!next) return
    // A cursor says where it goes on: an offset beside it is rejected.
    from = { ...query, offset: undefined, [parameter]: next }
    last = next
  }
}
