import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'

/** Where the types of a packed package would be wrong, in every way in which TypeScript resolves them. */
export async function typeProblems(tarball: string): Promise<object[]> {
  const found = await checkPackage(createPackageFromTarballData(readFileSync(tarball)))
  if (!found.types) throw new Error(`${tarball} has no types`)
  return found.problems
}
