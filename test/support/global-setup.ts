import { prepareTemplate } from './database.ts'

/** Migrates and seeds once for all test files; each of them starts from a copy. */
export default async function setup(): Promise<void> {
  await prepareTemplate()
}
