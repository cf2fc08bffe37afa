import { BadSetting, readSettings, type Settings } from '../../core/settings.ts'
import { Failed, type Terminal } from '../terminal.ts'
import { checkFolder } from './check-database.ts'
import { checkEmbeddings } from './check-embeddings.ts'
import { checkMail } from './check-mail.ts'
import {
  checkAlerts,
  checkCollector,
  checkDns,
  checkPayments,
  checkService,
  checkTls,
} from './check-network.ts'
import { checkPostgres } from './check-postgres.ts'
import { checkRegistrars } from './check-registrars.ts'
import { checkSettings } from './check-settings.ts'
import { type Finding, finding } from './finding.ts'

/**
 * Looks for what keeps an installation from working: settings, database, mail, payments, alerts, DNS, TLS,
 * clock and registrars. It changes nothing; a problem makes the command fail.
 */
export async function doctor(terminal: Terminal): Promise<void> {
  const findings = await examine(terminal)
  terminal.print({ findings }, { rows: 'findings', columns: ['check', 'result', 'says'] })
  const problems = findings.filter(({ result }) => result === 'problem').length
  if (problems > 0) throw new Failed(`error: problems found: ${problems}`)
}

async function examine(terminal: Terminal): Promise<Finding[]> {
  let settings: Settings
  try {
    settings = readSettings(process.env)
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error
    return error.message.split('; ').map(finding('settings').problem)
  }
  const checks = await Promise.all([
    checkSettings(settings),
    checkDatabase(settings),
    checkMail(settings),
    checkPayments(settings),
    checkAlerts(settings),
    checkCollector(settings),
    checkDns(settings),
    checkAddress(settings, terminal),
  ])
  return checks.flat()
}

/** With the embedding model, which has been checked only where the database can be asked. */
async function checkDatabase(settings: Settings): Promise<Finding[]> {
  if (settings.databaseUrl) return await checkPostgres(settings.databaseUrl, settings)
  return [...(await checkFolder(settings)), ...(await checkEmbeddings(null, settings))]
}

/** One after the other: what is wrong with one keeps the next from being reached, and is said once. */
async function checkAddress(settings: Settings, terminal: Terminal): Promise<Finding[]> {
  const tls = await checkTls(settings)
  const isOpen = tls.every(({ result }) => result !== 'problem')
  const service = isOpen ? await checkService(settings) : []
  const isUp = service.some(({ result }) => result === 'ok')
  return [...tls, ...service, ...(await checkRegistrars(terminal, isUp))]
}
