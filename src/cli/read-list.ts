export interface Page {
  next_cursor: string | null
  [rows: string]: unknown
}

/** A list of the admin API, one page after another up to a limit, as one page. */
export async function readList(
  rows: string,
  { limit, cursor }: { limit: number; cursor: string | undefined },
  pageSize: number,
  readPage: (page: { limit: number; cursor: string | undefined }) => Promise<unknown>,
): Promise<Page> {
  const read: unknown[] = []
  for (let after = cursor; ; ) {
    const size = Math.min(pageSize, limit - read.length)
    const page = (await readPage({ limit: size, cursor: after })) as Page
    read.push(...(page[rows] as unknown[]))
    if (!page.next_cursor || read.length >= limit) return { ...page, [rows]: read }
    after = page.next_cursor
  }
}
