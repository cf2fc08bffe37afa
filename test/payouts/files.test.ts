import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartnerClient } from '../support/client.ts'
import { earned } from '../support/earnings.ts'
import { ledgerOf, must } from '../support/market.ts'
import { startService, type TestService } from '../support/service.ts'
import { problemsOf } from './schema.ts'

const GERMAN = {
  name: 'Žofia Müller & Søn',
  country: 'DE',
  iban: 'DE89370400440532013000',
  currency: 'EUR',
}
const AMERICAN = {
  name: 'Pet 🐾 Shop, Inc.',
  country: 'US',
  account_number: '000123456789',
  routing_number: '021000021',
  currency: 'USD',
}
const PLATFORM = {
  name: 'Market Ltd',
  address: undefined,
  country: 'GB',
  taxId: undefined,
  iban: 'GB29NWBK60161331926819',
  bic: 'NWBKGB2L',
}

let service: TestService
let german: PartnerClient
let american: PartnerClient
beforeAll(async () => {
  service = await startService({
    settings: { payeeDelayHours: 0, fourEyesCents: 50_000, platform: PLATFORM },
  })
  german = await service.partner({ environment: 'live' })
  american = await service.partner({ environment: 'live' })
})
afterAll(() => service.stop())

const setPayee = async (partner: PartnerClient, payee: object) =>
  must(await service.admin('PUT', `/partners/${partner.partner_id}/payee`, { payee }), 200)
const create = async () =>
  must(await service.admin('POST', '/payouts', { environment: 'live' }), 201).body.payouts
const exported = async (format = 'pain.001') =>
  await service.admin('POST', '/payout-batches', { environment: 'live', format })
const payoutOf = async (id: string) => {
  const { payouts } = must(await service.admin('GET', '/payouts?environment=live'), 200).body
  return payouts.find((payout: { id: string }) => payout.id === id)
}

function report(batchId: string, { group = '', part = '', transactions = '' }): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
  <GrpHdr><MsgId>bank-1</MsgId><CreDtTm>2026-01-05T10:00:00</CreDtTm></GrpHdr>
  <OrgnlGrpInfAndSts><OrgnlMsgId>${batchId}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>${group}</OrgnlGrpInfAndSts>
  <OrgnlPmtInfAndSts><OrgnlPmtInfId>${batchId}-USD</OrgnlPmtInfId>${part}${transactions}</OrgnlPmtInfAndSts>
</CstmrPmtStsRpt></Document>`
}

const said = (id: string, status: string, reason = '') =>
  `<TxInfAndSts><OrgnlEndToEndId>${id}</OrgnlEndToEndId><TxSts>${status}</TxSts>${reason}</TxInfAndSts>`
const CLOSED = '<StsRsnInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>Account closed</AddtlInf></StsRsnInf>'
const read = (file: string) => service.admin('POST', '/payout-status-reports', { file })

describe('a file for the bank', () => {
  test('is made of what is pending, approved, and has a payee that is ready', async () => {
    const none = must(await exported(), 409).body.error
    expect(none.message).toContain('No payout is pending')
    await earned(service, german, 'live', 12_345, 'EUR')
    await earned(service, american, 'live', 20_000)
    await earned(service, american, 'live', 60_000, 'EUR')
    const payouts = await create()
    expect(payouts).toHaveLength(3)
    expect(must(await exported(), 409).body.error.message).toContain('no payee that is ready')
    await setPayee(german, GERMAN)
    await setPayee(american, AMERICAN)
    const { batch_id, count, file } = must(await exported(), 201).body
    expect(count).toBe(2)
    expect(await problemsOf(file, 'pain.001.001.09')).toEqual([])
    expect(file).toContain('<NbOfTxs>2</NbOfTxs>')
    expect(file).toContain('<CtrlSum>323.45</CtrlSum>')
    expect(file.match(/<PmtInf>/g)).toHaveLength(2)
    expect(file).toContain('<InstdAmt Ccy="EUR">123.45</InstdAmt>')
    expect(file).toContain('<IBAN>DE89370400440532013000</IBAN>')
    expect(file).toContain('<Nm>Zofia Muller Son</Nm>')
    expect(file).toContain('<Nm>Pet Shop, Inc.</Nm>')
    expect(file).toContain('<MmbId>021000021</MmbId>')
    expect(file).toContain('<IBAN>GB29NWBK60161331926819</IBAN>')
    for (const { id, amount_cents } of payouts) {
      const isHeld = amount_cents > 50_000
      expect(file.includes(`<EndToEndId>${id}</EndToEndId>`)).toBe(!isHeld)
      expect(await payoutOf(id)).toMatchObject(
        isHeld
          ? { status: 'pending', batch_id: null, created_by: 'admin token' }
          : { status: 'processing', batch_id },
      )
    }
    const again = must(await service.admin('POST', `/payout-batches/${batch_id}/file`, {}), 200)
    expect(again.body.file).toBe(file)
    must(await service.admin('POST', '/payout-batches/pob_none/file', {}), 404)
    const list = must(await service.admin('GET', '/payout-batches?environment=live'), 200).body
    expect(list.batches[0]).toMatchObject({ batch_id, count: 2, format: 'pain.001' })
    expect(JSON.stringify(list)).not.toContain('DE89')
  })

  test('needs a second person above FOUR_EYES_CENTS', async () => {
    const [held] = must(await service.admin('GET', '/payouts?status=pending'), 200).body.payouts
    must(await service.admin('POST', `/payouts/${held.id}/approve`, {}), 403)
    const rejected = must(await service.admin('POST', `/payouts/${held.id}/paid`, {}), 409).body
    expect(rejected.error.details.reason).toBe('approval_required')
    expect(must(await exported(), 409).body.error.message).toContain('1 wait for approval')
    await service.app.db
      .updateTable('payouts')
      .set({ created_by: 'olga@example.com', created_by_person: null })
      .where('id', '=', held.id)
      .execute()
    const approved = must(await service.admin('POST', `/payouts/${held.id}/approve`, {}), 200).body
    expect(approved).toMatchObject({ approved_by: 'admin token', status: 'pending' })
    const { file } = must(await exported('csv'), 201).body
    expect(file).toBe(
      'id,amount,currency,name,account,bank\r\n' +
        `${held.id},600.00,EUR,"Pet 🐾 Shop, Inc.",000123456789,021000021\r\n`,
    )
    must(await service.admin('POST', `/payouts/po_none/approve`, {}), 404)
    must(await service.admin('POST', `/payouts/${held.id}/fail`, { reason: 'Not sent' }), 200)
    const late = await service.admin('POST', `/payouts/${held.id}/approve`, {})
    expect(must(late, 200).body.approved_by).toBe('admin token')
  })

  test('says which account pays, or is not made', async () => {
    const bare = await startService({ settings: { payeeDelayHours: 0 } })
    const partner = await bare.partner({ environment: 'live' })
    await earned(bare, partner, 'live', 1_000)
    const { error } = must(
      await bare.admin('POST', '/payout-batches', { environment: 'live', format: 'pain.001' }),
      409,
    ).body
    expect(error.message).toContain('PLATFORM_NAME and PLATFORM_IBAN')
    await bare.stop()
  })
})

describe('a payee that changes', () => {
  test('is for payouts made after it; those before keep the account', async () => {
    await earned(service, german, 'live', 4_000, 'EUR')
    await create()
    await setPayee(german, { ...GERMAN, iban: 'FR1420041010050500013M02606' })
    await earned(service, german, 'live', 5_000, 'EUR')
    const [later] = await create()
    const { file } = must(await exported('csv'), 201).body
    const rows = file.trim().split('\r\n').slice(1)
    expect(rows).toHaveLength(2)
    for (const row of rows) {
      expect(row).toContain(row.startsWith(later.id) ? 'FR14' : 'DE89')
    }
  })
})

describe('what the bank reports', () => {
  async function sent(...amounts: number[]) {
    for (const cents of amounts) {
      await earned(service, american, 'live', cents)
      await create()
    }
    const { batch_id } = must(await exported(), 201).body
    const { payouts } = must(await service.admin('GET', `/payouts?batch_id=${batch_id}`), 200).body
    return { batch_id, ids: payouts.map(({ id }: { id: string }) => id).toReversed() }
  }

  test('pays, fails with the reason, and leaves the rest; read again it changes nothing', async () => {
    const { batch_id, ids } = await sent(1_000, 2_000, 3_000)
    const [paid = '', failed = '', open = ''] = ids
    const file = report(batch_id, {
      transactions:
        said(paid, 'ACSC') +
        said(failed, 'RJCT', CLOSED) +
        said(open, 'PDNG') +
        said('x-1', 'ACCC'),
    })
    expect(await problemsOf(file, 'pain.002.001.10')).toEqual([])
    expect(must(await read(file), 200).body).toEqual({
      paid: 1,
      failed: 1,
      unchanged: 1,
      unknown: ['x-1'],
      contradicted: [],
    })
    expect(await payoutOf(paid)).toMatchObject({ status: 'paid', paid_at: expect.any(String) })
    expect(await payoutOf(failed)).toMatchObject({
      status: 'failed',
      reason: 'AC04: Account closed',
    })
    expect((await payoutOf(open)).status).toBe('processing')
    expect(must(await read(file), 200).body).toMatchObject({ paid: 0, failed: 0, unchanged: 3 })
    const opposite = report(batch_id, { transactions: said(paid, 'RJCT', CLOSED) })
    expect(must(await read(opposite), 200).body.contradicted).toEqual([
      { id: paid, status: 'paid', reported: 'failed' },
    ])
    const lines = await ledgerOf(service, { partnerId: american.partner_id, environment: 'live' })
    const bank = lines.filter(({ account }) => account === 'bank')
    expect(bank.map(({ amount_cents }) => amount_cents)).toEqual([-1_000])
  })

  test('rejects all of a message, or of a part of it', async () => {
    const first = await sent(1_000)
    const group = `<GrpSts>RJCT</GrpSts>${CLOSED}`
    expect(must(await read(report(first.batch_id, { group })), 200).body.failed).toBe(1)
    const second = await sent(1_000)
    const part = '<PmtInfSts>RJCT</PmtInfSts>'
    const { failed } = must(await read(report(second.batch_id, { part })), 200).body
    expect(failed).toBeGreaterThan(0)
    const { payouts } = must(
      await service.admin('GET', `/payouts?batch_id=${second.batch_id}`),
      200,
    ).body
    expect(payouts.every(({ status }: { status: string }) => status === 'failed')).toBe(true)
  })

  test('is XML without a document type, of this message', async () => {
    for (const file of [
      `<!DOCTYPE a [<!ENTITY b "c">]>${report('pob_1', {}).replace(/<\?xml[^>]*>/, '')}`,
      'not xml',
      '<Document xmlns="urn:other"><CstmrPmtStsRpt/></Document>',
      report('pob_1', {}).replace('pain.002.001.10', 'pain.002.001.03'),
    ]) {
      expect(must(await read(file), 400).body.error.details[0].field).toBe('file')
    }
    expect(
      must(await read(report('pob_1', { group: '<GrpSts>ACSC</GrpSts>' })), 200).body,
    ).toMatchObject({ unknown: ['pob_1'] })
  })
})

describe('what the bank reports of payouts that it has not got', () => {
  test('changes nothing, and is listed', async () => {
    await earned(service, american, 'live', 70_000)
    const [pending] = await create()
    const file = report('pob_other', { transactions: said(pending.id, 'ACSC') })
    expect(must(await read(file), 200).body).toMatchObject({
      paid: 0,
      unchanged: 1,
      contradicted: [{ id: pending.id, status: 'pending', reported: 'paid' }],
    })
    expect(await payoutOf(pending.id)).toMatchObject({ status: 'pending', paid_at: null })
    must(await service.admin('POST', `/payouts/${pending.id}/cancel`, {}), 200)
  })
})
