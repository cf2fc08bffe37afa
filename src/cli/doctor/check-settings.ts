import { isLoopbackUrl } from 'domain-marketplace-safe-fetch'
import { loadBrand } from '../../core/brand.ts'
import { ENVIRONMENT_VARIABLES } from '../../core/environment.ts'
import { BadSetting, type Settings } from '../../core/settings.ts'
import { createTax } from '../../domain/tax/tax.ts'
import { type Finding, finding } from './finding.ts'

const { ok, warning, problem } = finding('settings')
/** As the start demands of a live market at a public address. */
const TOKEN_LENGTH = 32
/** As the start warns of any other. */
const GUESSABLE = 16
/** Names that are shorter differ by a letter from too many others. */
const LONG_NAME = 8

/** Files that cannot be read, and what each setting allows by itself and is wrong for a market that the public reaches. */
export async function checkSettings(settings: Settings): Promise<Finding[]> {
  const { baseUrl } = settings
  const found = [...(await unreadable(settings)), ...misspelt(process.env)]
  if (isLoopbackUrl(baseUrl)) {
    if (settings.adminToken !== undefined && settings.adminToken.length < GUESSABLE) {
      found.push(warning(`ADMIN_TOKEN can be guessed: give it ${GUESSABLE} characters at least.`))
    }
    return found.length > 0 ? found : [ok(`read; ${baseUrl} is for this machine alone`)]
  }
  if (baseUrl.startsWith('http:')) {
    found.push(
      problem(
        `BASE_URL is ${baseUrl}: at a public address it must be https, or sessions and buyers' details travel unencrypted.`,
      ),
    )
  }
  if (settings.trustedProxies.length === 0) {
    found.push(
      problem(
        'TRUSTED_PROXIES is not set: behind a proxy all clients share one address and its limits. Set it to the address of the proxy.',
      ),
    )
  }
  if (settings.smtpUrl === undefined) {
    found.push(
      problem('SMTP_URL is not set: mails are kept and never sent, to buyers and sellers too.'),
    )
  }
  if (settings.adminToken !== undefined && settings.adminToken.length < TOKEN_LENGTH) {
    found.push(
      problem(
        `ADMIN_TOKEN has ${settings.adminToken.length} characters: make one with \`openssl rand -hex 32\`.`,
      ),
    )
  }
  if (settings.databaseUrl === undefined) {
    found.push(
      warning(
        'DATABASE_URL is not set: the embedded database may lose orders when the power fails. Use PostgreSQL to sell.',
      ),
    )
  } else if (settings.secretsKeys === undefined) {
    found.push(
      warning(
        `SECRETS_KEY is not set: the key is in ${settings.dataDir}, without which nothing sealed can be read. Set it, and keep a copy elsewhere.`,
      ),
    )
  }
  if (settings.registry === 'live' && settings.isTestKey) {
    found.push(
      warning(
        'The key of the payment provider is a test key: test cards buy live names, which nobody pays for. Set the live key.',
      ),
    )
  }
  if (settings.demoPartner) {
    found.push(warning('DEMO_PARTNER is on: set it to off where the public can reach the service.'))
  }
  return found.length > 0 ? found : [ok(`read; the service is at ${baseUrl}`)]
}

/** What stops a start at the files that settings name, each read as the start does. */
async function unreadable(settings: Settings): Promise<Finding[]> {
  const reads = [() => loadBrand(settings), async () => createTax(settings)]
  const found = await Promise.all(
    reads.map((read) =>
      read().then(
        () => null,
        (error: unknown) => {
          if (!(error instanceof BadSetting)) throw error
          return problem(error.message)
        },
      ),
    ),
  )
  return found.filter((one) => one !== null)
}

/** Variables that are no settings, and look like one that is not set. */
function misspelt(environment: NodeJS.ProcessEnv): Finding[] {
  const unset = Object.keys(ENVIRONMENT_VARIABLES.shape).filter((name) => !environment[name])
  return Object.keys(environment)
    .filter((name) => !(name in ENVIRONMENT_VARIABLES.shape))
    .flatMap((name) => {
      const meant = unset.find((setting) => isNear(name, setting))
      return meant ? [warning(`${name} is no setting, and does nothing: is ${meant} meant?`)] : []
    })
}

/** Whether one letter is missing, too many or another, two have changed places, or only case and underscores differ. */
function isNear(name: string, setting: string): boolean {
  const plain = (text: string) => text.replaceAll('_', '').toUpperCase()
  if (plain(name) === plain(setting)) return true
  if (name[0] !== setting[0] && setting.length < LONG_NAME) return false
  let start = 0
  while (start < name.length && name[start] === setting[start]) start += 1
  const [typed, right] = [name.slice(start), setting.slice(start)]
  return (
    typed.slice(1) === right ||
    typed === right.slice(1) ||
    (typed.slice(1) === right.slice(1) && setting.length >= LONG_NAME) ||
    (typed[0] === right[1] && typed[1] === right[0] && typed.slice(2) === right.slice(2))
  )
}
