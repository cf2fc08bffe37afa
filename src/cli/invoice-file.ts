import { writeFileSync } from 'node:fs'
import { Failed, placeOf, type Terminal } from './terminal.ts'

/** Writes an invoice as PDF. */
export async function writeInvoice(
  { ask, print }: Terminal,
  number: string,
  out: string,
): Promise<void> {
  const path = `/invoices/${encodeURIComponent(number)}/pdf`
  const { pdf, ...rest } = (await ask('POST', path, {})) as { pdf: string }
  try {
    writeFileSync(placeOf(out), Buffer.from(pdf, 'base64'), { mode: 0o600 })
  } catch (error) {
    throw new Failed(`error: ${out} cannot be written: ${String(error)}`)
  }
  print(rest)
}
