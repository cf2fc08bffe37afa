import { writeFileSync } from 'node:fs'
import { Failed, placeOf, readText, type Terminal } from './terminal.ts'

interface Batch {
  batch_id: string
  file: string
}

interface ExportOptions {
  env?: string
  format?: string
  batch?: string
  out: string
}

/** Writes payouts to a file for the bank, or that of an earlier export again; only its owner can read it. */
export async function exportPayouts(
  { ask, print }: Terminal,
  { env, format, batch, out }: ExportOptions,
): Promise<void> {
  if (!batch && !(env && format)) {
    throw new Failed('error: --env and --format are required, or --batch')
  }
  const { file, ...rest } = (
    batch
      ? await ask('POST', `/payout-batches/${encodeURIComponent(batch)}/file`, {})
      : await ask('POST', '/payout-batches', { environment: env, format })
  ) as Batch
  try {
    writeFileSync(placeOf(out), file, { mode: 0o600 })
  } catch (error) {
    throw new Failed(
      `error: ${out} cannot be written (${String(error)}): --batch ${rest.batch_id} gives the file again`,
    )
  }
  print(rest)
}

/** Hands the bank's status report to the service. */
export async function importStatus({ ask, print }: Terminal, file: string): Promise<void> {
  print(await ask('POST', '/payout-status-reports', { file: readText(file) }))
}
