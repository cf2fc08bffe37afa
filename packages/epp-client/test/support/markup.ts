import { DOMAIN, EPP, RGP, SEC_DNS } from '../../src/namespaces.ts'
import { element, type Markup } from '../../src/xml.ts'
import type { Outcome, TestDomain } from './registry.ts'

export const DATE = '2026-01-05T09:00:00.0Z'

export function renewData(name: string, expiresAt?: Date): Markup {
  const content = [
    element('domain:name', {}, name),
    expiresAt ? element('domain:exDate', {}, expiresAt.toISOString()) : null,
  ]
  return element('domain:renData', { 'xmlns:domain': DOMAIN }, content)
}

export function infoExtension({ graceStatuses, ds }: TestDomain): Markup | null {
  const grace = graceStatuses.map((status) => element('rgp:rgpStatus', { s: status }))
  const signed = ds.map(({ keyTag, algorithm, digestType, digest }) =>
    element(
      'secDNS:dsData',
      {},
      element('secDNS:keyTag', {}, String(keyTag)),
      element('secDNS:alg', {}, String(algorithm)),
      element('secDNS:digestType', {}, String(digestType)),
      element('secDNS:digest', {}, digest),
    ),
  )
  const parts = [
    grace.length > 0 ? element('rgp:infData', { 'xmlns:rgp': RGP }, grace) : null,
    signed.length > 0 ? element('secDNS:infData', { 'xmlns:secDNS': SEC_DNS }, signed) : null,
  ].filter((part) => part !== null)
  return parts.length > 0 ? { xml: parts.map(({ xml }) => xml).join('') } : null
}

/** The data of a poll message about a transfer. */
export function transferData(name: string, status: string, by: string): Markup {
  return element(
    'domain:trnData',
    { 'xmlns:domain': DOMAIN },
    element('domain:name', {}, name),
    element('domain:trStatus', {}, status),
    element('domain:reID', {}, by),
    element('domain:reDate', {}, DATE),
    element('domain:acID', {}, 'registrar-1'),
    element('domain:acDate', {}, DATE),
  )
}

export function responseFrame(
  { code, reason, data, extension, queue }: Outcome,
  transactionId: string | null,
): string {
  const isOk = code < 2000
  const response = element(
    'response',
    {},
    element(
      'result',
      { code: String(code) },
      element('msg', {}, isOk ? 'Command completed successfully' : `Error ${code}`),
      reason
        ? element(
            'extValue',
            {},
            element('value', {}, element('undef')),
            element('reason', {}, reason),
          )
        : null,
    ),
    queue
      ? element(
          'msgQ',
          { count: '1', id: queue.id },
          element('qDate', {}, DATE),
          element('msg', {}, queue.text ?? ''),
        )
      : null,
    data ? element('resData', {}, data) : null,
    extension ? element('extension', {}, extension) : null,
    element(
      'trID',
      {},
      transactionId === null ? null : element('clTRID', {}, transactionId),
      element('svTRID', {}, 'SV-12345'),
    ),
  )
  return documentOf(response)
}

export function documentOf(content: Markup): string {
  return `<?xml version="1.0" encoding="UTF-8"?>${element('epp', { xmlns: EPP }, content).xml}`
}
