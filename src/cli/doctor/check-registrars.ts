import type { Terminal } from '../terminal.ts'
import { type Finding, finding } from './finding.ts'

/** Signs in at each registrar, through the running service, which alone can open their credentials. */
export async function checkRegistrars({ ask }: Pick<Terminal, 'ask'>): Promise<Finding[]> {
  const { ok, warning, problem } = finding('registrars')
  let names: string[]
  try {
    const { registrars } = (await ask('GET', '/registrars')) as { registrars: { name: string }[] }
    names = registrars.map(({ name }) => name)
  } catch (error) {
    return [warning(`They are tried by the running service, which did not say: ${text(error)}`)]
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
