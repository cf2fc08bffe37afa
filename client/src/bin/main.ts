import { readFileSync } from 'node:fs'
import { Usage } from './command.ts'
import { conformance } from './conformance.ts'
import { listen } from './listen.ts'
import { verifyReceiptCommand } from './verify-receipt.ts'

const COMMANDS = { listen, conformance, 'verify-receipt': verifyReceiptCommand }

const HELP = `marketplace COMMAND, with SERVICE_URL, SERVICE_KEY_ID and SERVICE_SECRET set

  listen           forwards your sandbox's events to a local address
  conformance      checks a service against its specification
  verify-receipt   verifies a delivery receipt with public keys alone; needs no credential

marketplace COMMAND --help tells more, and marketplace --version which version this is.
`
/** At the same depth in the sources as in a build. */
const PACKAGE = new URL('../../package.json', import.meta.url)

const [name = '', ...args] = process.argv.slice(2)
if (Object.hasOwn(COMMANDS, name)) {
  try {
    process.exitCode = await COMMANDS[name as keyof typeof COMMANDS](args)
  } catch (error) {
    process.stderr.write(`marketplace ${name}: ${(error as Error).message}\n`)
    process.exitCode = error instanceof Usage ? 2 : 1
  }
} else if (['--version', '-V'].includes(name)) {
  process.stdout.write(`${JSON.parse(readFileSync(PACKAGE, 'utf8')).version}\n`)
} else {
  const isHelp = ['', '--help', '-h', 'help'].includes(name)
  process[isHelp ? 'stdout' : 'stderr'].write(isHelp ? HELP : `There is no ${name}.\n${HELP}`)
  process.exitCode = isHelp ? 0 : 2
}
