import { readdirSync, readFileSync } from 'node:fs'

/** The lines of a folder's text files, one file after the other by name, without comments and empty ones. */
export function linesIn(folder: URL): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .toSorted()
    .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').split('\n'))
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '')
}
