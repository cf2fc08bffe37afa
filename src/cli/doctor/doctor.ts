import { BadSetting, readSettings, type Settings } from '../../core/settings.ts'
import { Failed, type Terminal } from '../terminal.ts'
import { checkFolder } from './check-database.ts'
import { checkDns, checkMail, checkPayments, checkService, checkTls } from './check-network.ts'
import { checkPostgres } from './check-postgres.ts'
import { checkRegistrars } from './check-registrars.ts'
import { checkSettings } from './check-settings.ts'
import { type Finding, finding } from './finding.ts'

/**
 * Looks for what keeps an installation from working: settings, database, mail, payments, DNS, TLS, clock and
 * registrars. It changes nothing; a problem makes the command fail.
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
    settings.databaseUrl ? checkPostgres(settings.databaseUrl, settings) : checkFolder(settings),
    checkMail(settings),
    checkPayments(settings),
    checkDns(settings),
    checkTls(settings),
    checkService(settings),
    checkRegistrars(terminal),
  ])
  return checks.flat()
}
