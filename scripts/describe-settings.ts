import { defaultText, SECRET_NAME } from '../src/cli/config-print.ts'
import { ENVIRONMENT_VARIABLES } from '../src/core/environment.ts'

/** What deploy/compose.yaml reads beside the settings of the service. */
const OF_COMPOSE: [name: string, description: string][] = [
  ['DATABASE_PASSWORD', 'The password of PostgreSQL, of letters and digits: openssl rand -hex 32'],
  ['BACKUP_HOURS', 'How often the database is backed up. Default: 24'],
  ['BACKUP_KEEP_DAYS', 'How long a backup is kept. Default: 30'],
  ['BACKUP_FOLDER', 'The folder of the backups, best on another machine. Default: a volume'],
]

/** What deploy/compose.yaml sets itself, whatever deploy/.env says. */
const SET_BY_COMPOSE = new Set([
  'DATABASE_URL',
  'HOST',
  'PORT',
  'DATA_DIR',
  'ADMIN_PORT',
  'ADMIN_HOST',
  'DRAIN_SECONDS',
  'TRUSTED_PROXIES',
])

/** What has another default there. */
const DEFAULTS_OF_COMPOSE: Record<string, string> = {
  BASE_URL: 'https://localhost',
  DEMO_PARTNER: 'off',
}

/** Each setting with its description and its default, in Markdown. */
const SETTINGS = Object.entries(ENVIRONMENT_VARIABLES.shape).map(([name, field]) => {
  const { description = '', otherwise } = (field.meta() ?? {}) as {
    description?: string
    otherwise?: string
  }
  const standard = defaultText(field) ?? 'none'
  const isValue = otherwise === undefined && defaultText(field) && !/^\d+$/.test(standard)
  return { name, description, standard: isValue ? `\`${standard}\`` : standard }
})

/** The table of docs/OPERATING.md. */
export function describeSettings(): string {
  const rows = SETTINGS.map(
    ({ name, description, standard }) => `| \`${name}\` | ${standard} | ${description} |\n`,
  )
  return ['| variable | default | what it is |\n', '|---|---|---|\n', ...rows].join('')
}

/** deploy/.env.example. */
export function environmentExample(): string {
  const settings = SETTINGS.filter(({ name }) => !SET_BY_COMPOSE.has(name)).map(
    ({ name, description, standard }) =>
      `# ${plain(description)}. Default: ${DEFAULTS_OF_COMPOSE[name] ?? plain(standard)}\n${name}=\n`,
  )
  const ofCompose = OF_COMPOSE.map(([name, description]) => `# ${description}\n${name}=\n`)
  return [
    '# For deploy/compose.yaml: install -m 600 deploy/.env.example deploy/.env. An empty variable has its default.\n',
    '# A value with a $ or a # is written in single quotes. Made by: npm run -s settings\n',
    '\n# Of compose.yaml. It needs DATABASE_PASSWORD, SECRETS_KEY and ADMIN_TOKEN, and for the public BASE_URL.\n\n',
    ofCompose.join('\n'),
    '\n# Of the service.\n\n',
    settings.join('\n'),
  ].join('')
}

/** What the chart has a port, a probe or a volume for. */
const SET_BY_CHART = new Set(['HOST', 'PORT', 'DATA_DIR'])
/** They belong in the chart's Secret, too, since they take a password. */
const SECRET_ADDRESSES = new Set([
  'DATABASE_URL',
  'DATABASE_OWNER_URL',
  'SMTP_URL',
  'ALERT_WEBHOOK_URL',
])

/** deploy/helm/values.schema.json, with the settings of today. */
export function valuesSchema(schema: string): string {
  const parsed = JSON.parse(schema)
  parsed.properties.settings.properties = Object.fromEntries(
    SETTINGS.map(({ name, description }) => [
      name,
      { ...chartType(name), description: plain(description) },
    ]),
  )
  // The Ingress has its host.
  Object.assign(parsed.properties.settings.properties.BASE_URL, {
    type: 'string',
    pattern: '^https?://[^/]+$',
  })
  return `${JSON.stringify(parsed, null, 2)}\n`
}

/** Helm's message of a value that cannot be here is made of the constant: "value must be '…'". */
function chartType(name: string): object {
  if (SET_BY_CHART.has(name)) return { const: 'left to the chart' }
  if (SECRET_NAME.test(name) || SECRET_ADDRESSES.has(name)) {
    return { const: 'in the Secret that `secret` names' }
  }
  return { type: ['string', 'number', 'boolean'] }
}

/** Without the code marks and links of Markdown. */
function plain(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '')
}
