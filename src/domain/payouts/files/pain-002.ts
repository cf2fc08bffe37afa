import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { invalid } from '../../../core/errors.ts'

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.002.001.10'
const PAID = ['ACSC', 'ACCC']
const REJECTED = ['RJCT']

/** What a bank says of payments: of one, or of all of a message or of a part of it. */
export interface BankStatus {
  /** The batch's id, which was the id of the message. */
  batchId: string
  /** Absent: all payments of the batch; with the currency, all of that part. */
  payoutId?: string
  currency?: string
  status: 'paid' | 'failed' | 'other'
  /** The bank's code and words for a rejection. */
  reason: string | null
}

type Element = Record<string, unknown>

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  // A file without a document type has no entities but those of XML itself.
  processEntities: true,
})

/**
 * Reads a payment status report, ISO 20022 pain.002.001.10. What is said of one payment comes after what is said of
 * all, so that the last word on each is its own.
 */
export function readStatusReport(xml: string): BankStatus[] {
  if (/<!DOCTYPE/i.test(xml)) {
    throw invalid({ field: 'file', issue: 'holds a document type, which no status report has' })
  }
  if (XMLValidator.validate(xml) !== true) {
    throw invalid({ field: 'file', issue: 'is not well-formed XML' })
  }
  const document = childOf(parser.parse(xml), 'Document')
  const report = childOf(document, 'CstmrPmtStsRpt')
  const original = childOf(report, 'OrgnlGrpInfAndSts')
  if (!report || !original || !xml.includes(NAMESPACE)) {
    throw invalid({ field: 'file', issue: 'is not a pain.002.001.10 status report' })
  }
  const batchId = textOf(original, 'OrgnlMsgId') ?? ''
  const found: BankStatus[] = []
  const add = (element: Element, status: string | null, of: Partial<BankStatus>) => {
    if (status === null) return
    found.push({ batchId, ...of, status: kindOf(status), reason: reasonOf(element) })
  }
  add(original, textOf(original, 'GrpSts'), {})
  const single: (() => void)[] = []
  for (const part of childrenOf(report, 'OrgnlPmtInfAndSts')) {
    const id = textOf(part, 'OrgnlPmtInfId') ?? ''
    const currency = id.startsWith(`${batchId}-`) ? id.slice(batchId.length + 1) : id
    add(part, textOf(part, 'PmtInfSts'), { currency })
    for (const transaction of childrenOf(part, 'TxInfAndSts')) {
      const payoutId = textOf(transaction, 'OrgnlEndToEndId')
      const status = textOf(transaction, 'TxSts')
      if (payoutId !== null) single.push(() => add(transaction, status, { payoutId }))
    }
  }
  for (const say of single) say()
  return found
}

function kindOf(status: string): BankStatus['status'] {
  if (PAID.includes(status)) return 'paid'
  return REJECTED.includes(status) ? 'failed' : 'other'
}

/** Such as `AC04: Account closed`. */
function reasonOf(element: Element): string | null {
  const [info] = childrenOf(element, 'StsRsnInf')
  if (!info) return null
  const reason = childOf(info, 'Rsn')
  const code = reason && (textOf(reason, 'Cd') ?? textOf(reason, 'Prtry'))
  const words = textsOf(info, 'AddtlInf')
  return [code, words.join(' ')].filter(Boolean).join(': ').slice(0, 1_000) || null
}

function childrenOf(parent: Element | null | undefined, name: string): Element[] {
  const value = parent?.[name]
  const all = Array.isArray(value) ? value : [value]
  return all.filter((each): each is Element => typeof each === 'object' && each !== null)
}

function childOf(parent: Element | null | undefined, name: string): Element | undefined {
  return childrenOf(parent, name)[0]
}

function textsOf(parent: Element, name: string): string[] {
  const value = parent[name]
  const all = Array.isArray(value) ? value : [value]
  return all.flatMap((each) => {
    const text = typeof each === 'object' && each !== null ? (each as Element)['#text'] : each
    return typeof text === 'string' && text.trim() !== '' ? [text.trim()] : []
  })
}

function textOf(parent: Element, name: string): string | null {
  return textsOf(parent, name)[0] ?? null
}
