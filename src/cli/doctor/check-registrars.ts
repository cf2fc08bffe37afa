import type { Terminal } from '../terminal.ts'
import { type Finding, finding } from './finding.ts'

/**
 * Signs in at each registrar, through the running service, which alone can open their credentials.
 *
 * @param isUp whether the service was found; else another finding says why it is not reached
 */
export async function checkRegistrars(
  { ask }: Pick<Terminal, 'ask'>,
  isUp: boolean,
): Promise<Finding[]> {
  const { ok, warning, problem } = finding('registrars')
  let names: string[]
  try {
    const { registrars } = (await ask('GET', '/registrars')) as { registrars: { name: string }[] }
    names = registrars.map(({ name }) => name)
  } catch (error) {
    const says = text(error)
    if (says.startsWith('unauthorized')) {
      return [
        problem(
          'The running service does not know this ADMIN_TOKEN, or the token in DATA_DIR: set the one that it was started with.',
        ),
      ]
    }
    return isUp ? [warning(`The running service did not list them: ${says}`)] : []
  }
  if (names.length === 0) return [ok('none is connected')]
  return await Promise.all(
    names.map(async (name) => {
      try {
        await ask('POST', `/registrars/${encodeURIComponent(name)}/test`)
        return ok(`${name} lets us in`)
      } catch (error) {
        return problem(`${name} does not let us in: ${text(error)}`)
      }
    }),
  )
}

function text(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^error: /, '') : String(error)
}
