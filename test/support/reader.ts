import type { Result } from './client.ts'
import type { TestService } from './service.ts'

type Headers = Record<string, string>

/** Calls the public API, as nobody in particular or with a token. */
export interface Reader {
  get(target: string, headers?: Headers): Promise<Result>
  post(target: string, body: unknown, headers?: Headers): Promise<Result>
}

export function readerOf(service: () => TestService, token?: string): Reader {
  const own: Headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return {
    get: (target, headers) =>
      service().send({ method: 'GET', target, headers: { ...own, ...headers } }),
    post: (target, body, headers) =>
      service().send({
        method: 'POST',
        target,
        headers: { 'content-type': 'application/json', ...own, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  }
}

/** Follows a list's cursors to its end. */
export async function walk(
  reader: Reader,
  target: string,
  between: (page: Result) => Promise<void> = async () => {},
): Promise<string[]> {
  const domains: string[] = []
  for (let cursor = ''; ; ) {
    const page = await reader.get(target + cursor)
    if (page.status !== 200) throw new Error(page.text)
    domains.push(...page.body.items.map((item: { domain: string }) => item.domain))
    if (page.body.page.next_cursor === null) return domains
    await between(page)
    cursor = `&cursor=${page.body.page.next_cursor}`
  }
}
