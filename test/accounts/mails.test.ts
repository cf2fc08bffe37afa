import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { letter } from '../../src/core/letter.tsx'
import {
  createMail,
  type MailMessage,
  purgeMails,
  queueMail,
  smtpTransport,
} from '../../src/core/mail.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { DAY, HOUR, SECOND } from '../../src/lib/clock.ts'
import { openCase } from '../support/brokerage.ts'
import { must } from '../support/market.ts'
import { makeUser } from '../support/oauth.ts'
import { type SignedInPartner, signedInPartner } from '../support/portal.ts'
import { pause } from '../support/receiver.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const going = new AbortController().signal
const message = (to: string): MailMessage => ({ to, subject: 'Hello', text: 'Good day.' })
const listed = async (to: string) =>
  (await service.admin('GET', `/mails?to=${encodeURIComponent(to)}`)).body.mails

describe('mails', () => {
  test('are kept for operators to read where there is no mail server', async () => {
    await service.app.mail.send(message('kept@example.com'))
    await service.app.mail.deliver(going)
    expect(await listed('kept@example.com')).toEqual([
      expect.objectContaining({ text: 'Good day.', sent_at: null, attempts: 0 }),
    ])
  })

  test('belong to their change: what is undone is not sent', async () => {
    const { clock } = service.app
    await inTransaction(service.app, async (tx) => {
      await tx.executeQuery(queueMail(tx, clock.now(), message('undone@example.com')))
      throw new Error('undone')
    }).catch(() => {})
    expect(await listed('undone@example.com')).toEqual([])
  })

  test('are sent once, tried again when not taken, and then lose their text', async () => {
    const { db, clock, log } = service.app
    const sent: string[] = []
    let takes = false
    const mail = createMail(db, clock, log, async ({ to }) => {
      if (!takes) throw new Error('mailbox is full')
      sent.push(to)
    })
    await mail.send(message('sent@example.com'))
    await mail.deliver(going)
    const [failed] = await listed('sent@example.com')
    expect(failed).toMatchObject({ error: 'mailbox is full', attempts: 1 })
    takes = true
    await mail.deliver(going)
    expect(sent).not.toContain('sent@example.com')
    service.clock.advance(HOUR)
    await Promise.all([mail.deliver(going), mail.deliver(going)])
    expect(sent.filter((to) => to === 'sent@example.com')).toHaveLength(1)
    const [done] = await listed('sent@example.com')
    expect(done).toMatchObject({ text: null, error: null, attempts: 2 })
    expect(done.sent_at).not.toBeNull()
  })

  test('are tried twelve times, twice as long apart each time', async () => {
    const { db, clock, log } = service.app
    let tries = 0
    const mail = createMail(db, clock, log, async ({ to }) => {
      if (to !== 'never@example.com') return
      tries += 1
      throw new Error('mailbox is full')
    })
    await mail.send(message('never@example.com'))
    await mail.deliver(going)
    let wait = 30 * SECOND
    for (let known = 1; known < 12; known++) {
      service.clock.advance(wait - 5 * SECOND)
      await mail.deliver(going)
      expect(tries).toBe(known)
      service.clock.advance(5 * SECOND)
      await mail.deliver(going)
      expect(tries).toBe(known + 1)
      wait *= 2
    }
    service.clock.advance(wait)
    await mail.deliver(going)
    expect(tries).toBe(12)
  })

  test('of a sandbox that somebody opened go to its confirmed people, and are kept of all others', async () => {
    const { db, clock, log } = service.app
    const ann = await signedInPartner(service, 'ann@example.com')
    const bob = await signedInPartner(service, 'bob@example.com')
    const eve = await signedInPartner(service, 'eve@example.com')
    await db
      .updateTable('users')
      .set({ email_confirmed_at: null })
      .where('email', '=', 'eve@example.com')
      .execute()
    const text = 'Pay what you owe at evil.example'
    const amy = await signedInPartner(service, 'amy@example.com')
    await db
      .updateTable('partners')
      .set({ live_approved_at: clock.now() })
      .where('id', '=', amy.partnerId)
      .execute()
    const known = await service.partner()
    const cas = await makeUser(service, 'cas@example.com', [])
    const linked = await service.partner()
    must(await service.admin('PUT', `/users/${cas}`, { partner_id: linked.partner_id }), 200)
    const told: [Pick<SignedInPartner, 'client'>, string][] = [
      [{ client: known }, 'buyer-of-known@example.com'],
      [{ client: linked }, 'buyer-of-linked@example.com'],
      [amy, 'buyer-of-amy@example.com'],
      [ann, 'Ann@example.com'],
      [ann, 'stranger@example.com'],
      [bob, 'ann@example.com'],
      [eve, 'eve@example.com'],
    ]
    for (const [{ client }, buyer_email] of told) {
      const { case_id } = await openCase(client, { buyer_email })
      must(await client.post(`/sandbox/brokerage/${case_id}/source`, { note: text }), 200)
    }
    const sent: string[] = []
    const mail = createMail(db, clock, log, async ({ to, subject }) => {
      if (subject.startsWith('[Test] ')) sent.push(to)
    })
    await mail.deliver(going)
    const wanted = [
      'buyer-of-known@example.com',
      'buyer-of-linked@example.com',
      'buyer-of-amy@example.com',
      'Ann@example.com',
    ]
    expect([...new Set(sent)].toSorted()).toEqual(wanted.toSorted())
    const kept = await listed('stranger@example.com')
    expect(kept[0]).toMatchObject({ sent_at: null, attempts: 0, error: null })
    expect(kept[0].text).toContain(text)
    service.clock.advance(40 * DAY)
    await purgeMails(db, clock.now(), new AbortController().signal)
    await mail.deliver(going)
    expect(new Set(sent).size).toBe(4)
    expect(await listed('stranger@example.com')).toEqual([])
  })

  test('are all sent at one go, however many are due, a few at once', async () => {
    const { db, clock, log } = service.app
    const sent: string[] = []
    let atOnce = 0
    let most = 0
    const mail = createMail(db, clock, log, async ({ to }) => {
      atOnce += 1
      most = Math.max(most, atOnce)
      await pause(2)
      atOnce -= 1
      if (to === 'many-7@example.com') throw new Error('mailbox is full')
      sent.push(to)
    })
    for (let each = 0; each < 70; each++) await mail.send(message(`many-${each}@example.com`))
    await mail.deliver(going)
    const many = sent.filter((to) => to.startsWith('many-'))
    expect(many).toHaveLength(69)
    expect(new Set(many).size).toBe(69)
    expect(most).toBe(5)
  })

  test('wait for another instance once theirs is stopping, and none is lost or counted', async () => {
    const { db, clock, log } = service.app
    const stopping = new AbortController()
    const tried: string[] = []
    const mail = createMail(db, clock, log, async ({ to }) => {
      tried.push(to)
      stopping.abort()
      await pause(20)
    })
    for (let each = 0; each < 12; each++) await mail.send(message(`stop-${each}@example.com`))
    await mail.deliver(stopping.signal)
    expect(tried.length).toBeLessThanOrEqual(5)
    await mail.deliver(going)
    expect(new Set(tried).size).toBe(12)
    expect(tried).toHaveLength(12)
    expect((await listed('stop-11@example.com'))[0]).toMatchObject({ attempts: 1 })
  })

  /** Delivers what is due through a mail server that takes no recipient. */
  async function deliverRejected(reply: string): Promise<void> {
    const refusing = createServer((socket) => {
      socket.on('error', () => {})
      socket.write('220 here\r\n')
      socket.on('data', (chunk) => {
        for (const [, recipient] of String(chunk).matchAll(/^(?:RCPT TO:<(.*)>.*|.+)\r$/gm)) {
          socket.write(recipient ? `${reply.replace('<>', `<${recipient}>`)}\r\n` : '250 ok\r\n')
        }
      })
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => refusing.once('listening', resolve))
    const { port } = refusing.address() as AddressInfo
    const { settings, brand, db, clock, log } = service.app
    const smtp = smtpTransport({ ...settings, smtpUrl: `smtp://127.0.0.1:${port}` }, brand)
    await createMail(db, clock, log, smtp).deliver(going)
    refusing.close()
  }

  /** What the overview counts, and the first recipients that are listed. */
  async function notSent() {
    const { waiting } = must(await service.admin('GET', '/overview'), 200).body
    const recipients = async (state: string) =>
      must(await service.admin('GET', `/mails?state=${state}`), 200).body.mails.map(
        ({ to }: { to: string }) => to,
      )
    return {
      stuck: waiting.mails_stuck,
      failing: await recipients('failing'),
      given_up: waiting.mails_undeliverable,
      undeliverable: await recipients('undeliverable'),
    }
  }

  test.each([
    ['550 5.1.1 <>: no such user', true],
    ['452 4.2.2 <>: mailbox full', true],
    ['450 4.1.2 <>: domain not found', true],
    ['550 unknown user', true],
    ['553-5.1.3 bad address\r\n553 5.1.3 see our site', true],
    ['550 5.1.8 <no-reply@localhost>: sender address rejected', false],
    ['554 5.7.1 <>: relay access denied', false],
    ['451 4.3.0 <>: temporary lookup failure', false],
    ['421 too busy', false],
  ])('with the reply %s, a recipient that is rejected alone: %s', async (reply, isRejected) => {
    const { db, mail } = service.app
    await db.deleteFrom('mails').execute()
    const to = 'rejected@example.com'
    await mail.send(message(to))
    await deliverRejected(reply)
    expect(await notSent()).toEqual(
      isRejected
        ? { stuck: 0, failing: [], given_up: 1, undeliverable: [to] }
        : { stuck: 1, failing: [to], given_up: 0, undeliverable: [] },
    )
    // Tried again all the same, and then it may be for another reason.
    service.clock.advance(HOUR)
    await deliverRejected('421 too busy')
    expect(await listed(to)).toEqual([expect.objectContaining({ attempts: 2 })])
    expect(await notSent()).toMatchObject({ stuck: 1, given_up: 0 })
  })

  test('that are given up are told from those that are still tried', async () => {
    const { db, mail } = service.app
    await db.deleteFrom('mails').execute()
    await mail.send(message('given-up@example.com'))
    for (let tries = 0; tries < 12; tries++) {
      await deliverRejected('421 too busy')
      expect((await notSent()).stuck).toBe(tries < 11 ? 1 : 0)
      service.clock.advance(DAY)
    }
    await mail.send(message('waiting@example.com'))
    expect(await notSent()).toEqual({
      stuck: 0,
      failing: [],
      given_up: 1,
      undeliverable: ['given-up@example.com'],
    })
  })

  test('that a server rejects are logged without the address, which operators see', async () => {
    await service.app.mail.send(message('unknown@example.com'))
    await deliverRejected('550 5.1.1 <>: no such user')
    const [rejected] = await listed('unknown@example.com')
    expect(rejected.error).toContain('550 5.1.1 <unknown@example.com>: no such user')
    const line = JSON.parse(service.logs.find((text) => text.includes(rejected.id)) ?? '{}')
    expect(line).toMatchObject({ code: 'EENVELOPE', response_code: 550, command: 'RCPT TO' })
    expect(service.logs.join('')).not.toContain('unknown@example.com')
  })

  test('are sent as text and as HTML, and then lose both', async () => {
    let heard = ''
    const taking = createServer((socket) => {
      socket.on('error', () => {})
      socket.write('220 here\r\n')
      socket.on('data', (chunk) => {
        heard += chunk
        // While the message comes, nothing is said until its last line.
        const isMessage = heard.includes('\r\nDATA\r\n')
        if (String(chunk).startsWith('DATA')) socket.write('354 go on\r\n')
        else if (!isMessage || heard.endsWith('\r\n.\r\n')) socket.write('250 ok\r\n')
      })
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => taking.once('listening', resolve))
    const { port } = taking.address() as AddressInfo
    const { settings, brand, db, clock, log } = service.app
    const smtp = smtpTransport({ ...settings, smtpUrl: `smtp://127.0.0.1:${port}` }, brand)
    const mail = createMail(db, clock, log, async (sent) => {
      if (sent.to === 'both@example.com') await smtp?.(sent)
    })
    await mail.send({ to: 'both@example.com', ...letter('Hello', ['Good <day>.']) })
    await mail.deliver(going)
    taking.close()
    expect(heard).toContain('Content-Type: multipart/alternative')
    expect(heard).toMatch(/text\/plain[^]*Good <day>\.[^]*-- \r\nDomain Marketplace\r\n/)
    expect(heard.replaceAll('=\r\n', '')).toMatch(/text\/html[^]*Good &lt;day>\./)
    const row = await db
      .selectFrom('mails')
      .select(['body', 'html'])
      .where('recipient', '=', 'both@example.com')
      .executeTakeFirst()
    expect(row).toEqual({ body: null, html: null })
  })

  test('are forgotten after a month', async () => {
    await service.app.mail.send(message('old@example.com'))
    service.clock.advance(31 * DAY)
    await purgeMails(service.app.db, service.clock.now(), new AbortController().signal)
    expect(await listed('old@example.com')).toEqual([])
  })

  test('cannot be listed with a cursor of another list', async () => {
    const response = await service.admin('GET', '/mails?cursor=nonsense')
    expect(response.body.error.code).toBe('invalid_cursor')
  })
})

describe('pages', () => {
  test('run nothing, load nothing from elsewhere, and cannot be framed', async () => {
    const page = await service.send({
      method: 'GET',
      target: '/not-there-<script>',
      headers: { accept: 'text/html,application/xhtml+xml' },
    })
    expect(page.status).toBe(404)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(page.headers).toMatchObject({
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    expect(page.text).not.toMatch(/<script|style=|https?:\/\//)
    expect(page.text).toContain(String(page.headers['x-request-id']))
    const style = await service.send({ method: 'GET', target: '/pages/style.css' })
    expect(style.headers['content-type']).toBe('text/css; charset=utf-8')
  })

  test('leave the errors of the APIs as they are', async () => {
    const response = await service.send({
      method: 'GET',
      target: '/api/not-there',
      headers: { accept: 'text/html' },
    })
    expect(response.body.error.code).toBe('not_found')
  })
})
