import { BadSetting, readSettings } from './core/settings.ts'
import { FolderTaken } from './db/folder-lock.ts'
import { errorMessage } from './lib/error-message.ts'
import { packageVersion } from './version.ts'

const HELP = 'Starts the service. Settings are environment variables: docs/OPERATING.md lists them.'

try {
  const [option] = process.argv.slice(2)
  if (option === undefined) {
    const settings = readSettings(process.env)
    // The service takes seconds to load, which a setting that is wrong need not wait for.
    const { start } = await import('./serve.ts')
    await start(settings)
  } else {
    process.stdout.write(`${textFor(option)}\n`)
  }
} catch (error) {
  process.stderr.write(`The service did not start. ${reason(error)}\n`)
  process.exit(1)
}

function textFor(option: string): string {
  if (['--version', '-V'].includes(option)) return packageVersion()
  if (['--help', '-h'].includes(option)) return HELP
  throw new BadSetting(`${option}: there are --version and --help only. ${HELP}`)
}

/** One line for whatever the operator can mend; the stack of anything else. */
function reason(error: unknown): string {
  if (error instanceof BadSetting || error instanceof FolderTaken) return error.message
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') {
    return 'The port is taken by another program: set PORT to a free one.'
  }
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    return `It cannot listen there, see HOST and PORT: ${errorMessage(error)}`
  }
  if (syscall !== undefined)
    return `The file system rejected it, see DATA_DIR: ${errorMessage(error)}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
