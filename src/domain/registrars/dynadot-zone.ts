import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { FOR_SALE_LABEL } from '../../lib/for-sale.ts'
import { type CallOptions, RegistrarRejected } from './driver.ts'
import {
  assertOursAlone,
  assertShown,
  type ForSaleCommand,
  needsChange,
  zoneElsewhere,
} from './for-sale-command.ts'
import { parsed, type RegistrarHttp } from './http-registrar.ts'

const OWN_DNS = 'dns'

const Response = z.object({
  code: z.coerce.number(),
  message: z.string().nullish(),
  error: z.object({ description: z.string().nullish() }).nullish(),
})
/** The lists are absent where they are empty. Numbers come as text or as numbers. */
const RecordsResponse = z.object({
  data: z.object({
    glue_info: z.object({
      glue_type: z.string(),
      ttl: z.coerce.number().int().positive().nullish().catch(null),
      dns_sub_list: z
        .array(
          z.object({
            sub_host: z.string().nullish(),
            record_type: z.string(),
            record_value1: z.string().nullish(),
          }),
        )
        .nullish(),
    }),
  }),
})

/**
 * The zone of a domain, by the REST API of Dynadot (https://www.dynadot.com/domain/api-document). It adds a record to the
 * current setting and removes one by its value. The older API can only replace the whole zone, in names that it does not
 * read it back in.
 */
export class DynadotZone {
  readonly #http: RegistrarHttp
  readonly #basePath: string
  readonly #key: string
  readonly #secret: string

  constructor(http: RegistrarHttp, baseUrl: string, key: string, secret: string) {
    this.#http = http
    this.#basePath = new URL(baseUrl).pathname.replace(/\/$/, '')
    this.#key = key
    this.#secret = secret
  }

  async setForSale(domain: string, command: ForSaleCommand, call: CallOptions): Promise<void> {
    const { isOwn, ttl, texts } = await this.#read(domain, call)
    if (!isOwn) {
      // What was in its zone before is gone from there.
      if (!command.published) return
      throw zoneElsewhere(domain)
    }
    if (!needsChange(command, texts)) return
    // Its documentation does not say that a removal leaves others of the same name and type.
    assertOursAlone(domain, command, texts)
    const record = {
      sub_host: FOR_SALE_LABEL,
      record_type: 'txt',
      record_value1: command.value,
    }
    if (command.published) {
      const body = {
        dns_sub_list: [record],
        // One for the whole zone, so it is sent as it is.
        ...(ttl && { ttl }),
        add_dns_to_current_setting: true,
      }
      await this.#send('POST', domain, body, call)
    } else {
      await this.#send('DELETE', domain, { dns_sub_list: [record] }, call)
    }
    assertShown(command, (await this.#read(domain, call)).texts)
  }

  async #read(domain: string, call: CallOptions) {
    const body = await this.#send('GET', domain, undefined, call)
    const { glue_type, ttl, dns_sub_list } = parsed(RecordsResponse, body).data.glue_info
    const texts = (dns_sub_list ?? []).filter(
      ({ sub_host, record_type }) =>
        sub_host?.toLowerCase() === FOR_SALE_LABEL && record_type.toLowerCase() === 'txt',
    )
    return {
      isOwn: glue_type.toLowerCase() === OWN_DNS,
      ttl,
      texts: texts.map(({ record_value1 }) => record_value1 ?? ''),
    }
  }

  async #send(
    method: 'GET' | 'POST' | 'DELETE',
    domain: string,
    body: object | undefined,
    call: CallOptions,
  ): Promise<unknown> {
    const path = `/restful/v2/domains/${domain}/records`
    const headers = {
      authorization: `Bearer ${this.#key}`,
      'X-Signature': this.#signatureOf(path, body),
    }
    const changes = method !== 'GET'
    const response = await this.#http.send({ method, path, headers, body, changes }, call)
    const { code, message, error } = parsed(Response, response.body)
    if (response.status < 400 && code < 400) return response.body
    const said = error?.description ?? message ?? 'The registrar rejected it.'
    throw new RegistrarRejected(String(code), said)
  }

  /** Of the key, the path, no request id, and the body as it is sent. */
  #signatureOf(path: string, body: object | undefined): string {
    const text = body === undefined ? '' : JSON.stringify(body)
    const signed = [this.#key, `${this.#basePath}${path}`, '', text].join('\n')
    return createHmac('sha256', this.#secret).update(signed).digest('base64')
  }
}
