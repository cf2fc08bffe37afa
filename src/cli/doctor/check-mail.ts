import { isLoopbackUrl } from 'domain-marketplace-safe-fetch'
import addressparser from 'nodemailer/lib/addressparser'
import SmtpConnection from 'nodemailer/lib/smtp-connection'
import SmtpTransport from 'nodemailer/lib/smtp-transport'
import { smtpOptions } from '../../core/mail.ts'
import type { Settings } from '../../core/settings.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { type Finding, finding } from './finding.ts'

const { ok, warning, problem } = finding('mail')

/** Whether the mail server takes mails of ours, as far as it says so before it is sent one. */
export async function checkMail({ smtpUrl, mailFrom }: Settings): Promise<Finding[]> {
  if (smtpUrl === undefined) return [ok('no mail server is set: mails are kept, see `mail list`')]
  const { host } = new URL(smtpUrl)
  try {
    const found = await tryMailServer(smtpUrl, addressparser(mailFrom)[0]?.address ?? '')
    return found.length > 0 ? found : [ok(`${host} takes mails from ${mailFrom}`)]
  } catch (error) {
    const says = errorMessage(error)
    return [problem(`The mail server of SMTP_URL takes no mails: ${inWords(says) ?? says}`)]
  }
}

/** Connects and signs in as sending would, and names the sender; rejects with what the server said. */
async function tryMailServer(smtpUrl: string, sender: string): Promise<Finding[]> {
  const transport = new SmtpTransport(smtpOptions(smtpUrl))
  const auth = transport.getAuth({})
  const found: Finding[] = []
  const connection = new SmtpConnection({
    ...transport.options,
    customAuth: { SENDER: nameSender },
  })
  try {
    await new Promise<void>((resolve, reject) => {
      connection.once('error', reject)
      connection.once('end', () => reject(new Error('it closed the connection')))
      connection.connect((error) => (error ? reject(error) : resolve()))
    })
    if (auth && !connection.allowsAuth) {
      return [
        problem(
          'The mail server of SMTP_URL offers no sign-in, so that user and password are not used: name its port for submission, such as 587.',
        ),
      ]
    }
    if (auth) {
      if (!connection.secure && !isLoopbackUrl(smtpUrl.replace(/^smtps?:/, 'http:'))) {
        found.push(
          warning(
            'The mail server of SMTP_URL offers no TLS: user and password are sent in clear text.',
          ),
        )
      }
      await signIn(auth)
    }
    await signIn({ method: 'SENDER' })
    return found
  } finally {
    connection.quit()
  }

  async function signIn(by: Parameters<typeof connection.login>[0]): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      connection.login(by, (error) => (error ? reject(error) : resolve()))
    })
  }

  /** What a message begins with, taken back before it has a recipient. */
  async function nameSender({
    sendCommand,
  }: SmtpConnection.CustomAuthenticationContext): Promise<void> {
    const { status, response } = await sendCommand(`MAIL FROM:<${sender}>`)
    if (status >= 400) {
      found.push(
        problem(
          `The mail server of SMTP_URL takes no mails from ${sender}, see MAIL_FROM: ${response}`,
        ),
      )
    }
    await sendCommand('RSET')
  }
}

/** What OpenSSL and silence mean. */
function inWords(says: string): string | undefined {
  if (/wrong version number/i.test(says)) {
    return 'it speaks no TLS at this port. Write smtp:// instead of smtps://, or name its port for TLS, such as 465.'
  }
  if (/greeting never received/i.test(says)) {
    return 'it does not greet. Is it a mail server? At a port for TLS, such as 465, write smtps://.'
  }
  return undefined
}
