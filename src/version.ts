import { readFileSync } from 'node:fs'

/** The version of this package; a build lies as deep in it as its sources. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}
