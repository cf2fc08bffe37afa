import { send } from '../../test/support/client.ts'
import { hold } from '../proof.ts'

/** Puts names up for sale in the sandbox of a running service. */
export async function importNames(
  { baseUrl }: { baseUrl: string },
  adminToken: string,
  prefix: string,
  count: number,
): Promise<string[]> {
  const domains = Array.from({ length: count }, (_, index) => `${prefix}-${index}.test`)
  const response = await send(baseUrl, {
    method: 'POST',
    target: '/api/admin/v1/listings/import?environment=sandbox',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'text/csv' },
    body: domains.map((domain, index) => `${domain},${1_000 + index},900,USD`).join('\n'),
  })
  hold(response.text.includes(`"imported":${count}`), `the import was answered ${response.text}`)
  return domains
}
