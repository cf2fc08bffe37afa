import { Option } from 'commander'

/** A refusal of the command line: one line on stderr and a non-zero exit. */
export class Failed extends Error {}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** What commands do beyond reading their arguments. */
export interface Terminal {
  /** Asks the admin API, and answers its answer. */
  ask(method: Method, path: string, body?: object): Promise<unknown>
  print(value: unknown): void
  /** Asks, and prints the answer. */
  call(method: Method, path: string, body?: object): Promise<void>
  readText(file: string): string
}

/** A path of the admin API, with whatever was typed as its parameters. */
export function at(parts: TemplateStringsArray, ...parameters: string[]): string {
  return String.raw({ raw: parts }, ...parameters.map(encodeURIComponent))
}

export function environment(): Option {
  return new Option('--env <environment>', 'sandbox or live')
    .choices(['sandbox', 'live'])
    .makeOptionMandatory()
}

/** What is no whole number goes to the service as it is, which says so. */
export function whole(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text
}
