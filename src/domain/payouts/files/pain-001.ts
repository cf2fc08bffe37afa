import { XMLBuilder } from 'fast-xml-parser'
import { dateOf, iso } from '../../../core/fields.ts'
import { digitsOf, unitsOf } from '../../../lib/money.ts'
import { type BankAccount, schemeName } from '../../payees/bank-account.ts'
import type { PayoutBatch, PayoutFile, PayoutOrder } from './payout-file.ts'

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09'
/** What ISO 20022 has where an identification is required and there is none. */
const NOT_PROVIDED = 'NOTPROVIDED'

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  format: true,
  suppressEmptyNode: true,
})

/** A credit transfer initiation, ISO 20022 pain.001.001.09: one `PmtInf` a currency (contract, section 17). */
export const painFile: PayoutFile = {
  format: 'pain.001',
  needsPayer: true,
  write(batch) {
    const { id, at, payer, payouts } = batch
    const currencies = [...new Set(payouts.map(({ currency }) => currency))].toSorted()
    return builder.build({
      '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
      Document: {
        '@xmlns': NAMESPACE,
        CstmrCdtTrfInitn: {
          GrpHdr: {
            MsgId: id,
            CreDtTm: iso(at),
            NbOfTxs: payouts.length,
            CtrlSum: sumOf(payouts),
            InitgPty: { Nm: payerName(payer) },
          },
          PmtInf: currencies.map((currency) =>
            paymentOf(
              batch,
              currency,
              payouts.filter((payout) => payout.currency === currency),
            ),
          ),
        },
      },
    })
  },
}

function paymentOf({ id, at, payer }: PayoutBatch, currency: string, payouts: PayoutOrder[]) {
  return {
    PmtInfId: `${id}-${currency}`,
    PmtMtd: 'TRF',
    NbOfTxs: payouts.length,
    CtrlSum: sumOf(payouts),
    ReqdExctnDt: { Dt: dateOf(at) },
    Dbtr: { Nm: payerName(payer), ...(payer.country && { PstlAdr: { Ctry: payer.country } }) },
    DbtrAcct: { Id: payer.iban ? { IBAN: payer.iban } : { Othr: { Id: NOT_PROVIDED } } },
    DbtrAgt: {
      FinInstnId: payer.bic ? { BICFI: payer.bic } : { Othr: { Id: NOT_PROVIDED } },
    },
    CdtTrfTxInf: payouts.map(transferOf),
  }
}

function transferOf({ id, amountCents, currency, account }: PayoutOrder) {
  const agent = agentOf(account)
  return {
    PmtId: { EndToEndId: id },
    Amt: { InstdAmt: { '@Ccy': currency, '#text': unitsOf(amountCents, currency) } },
    ...(agent && { CdtrAgt: { FinInstnId: agent } }),
    Cdtr: { Nm: schemeName(account.name), PstlAdr: { Ctry: account.country } },
    CdtrAcct: {
      Id: account.iban === null ? { Othr: { Id: account.account_number } } : { IBAN: account.iban },
    },
    RmtInf: { Ustrd: `Payout ${id}` },
  }
}

/** The bank of the one who is paid; an IBAN names it by itself. */
function agentOf({ bic, routing_number }: BankAccount): object | null {
  if (bic === null && routing_number === null) return null
  return {
    ...(bic !== null && { BICFI: bic }),
    ...(routing_number !== null && {
      ClrSysMmbId: { ClrSysId: { Cd: 'USABA' }, MmbId: routing_number },
    }),
  }
}

function payerName({ name }: PayoutBatch['payer']): string {
  return schemeName(name ?? 'Domain Marketplace')
}

/** The control sum adds the amounts up whatever their currencies, without rounding. */
function sumOf(payouts: readonly PayoutOrder[]): string {
  const thousandths = payouts.reduce(
    (sum, { amountCents, currency }) => sum + amountCents * 10 ** (3 - digitsOf(currency)),
    0,
  )
  return (thousandths / 1_000).toFixed(3).replace(/\.?0+$/, '')
}
