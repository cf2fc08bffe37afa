import { readFile, writeFile } from 'node:fs/promises'
import { describeSettings, environmentExample, valuesSchema } from './describe-settings.ts'

const TABLE = /^\| variable \| default \|.*\n(?:\|.*\n)+/m

await rewrite('docs/OPERATING.md', (text) => text.replace(TABLE, () => describeSettings()))
await rewrite('deploy/.env.example', environmentExample)
await rewrite('deploy/helm/values.schema.json', valuesSchema)

async function rewrite(name: string, change: (text: string) => string): Promise<void> {
  const file = new URL(`../${name}`, import.meta.url)
  await writeFile(file, change(await readFile(file, 'utf8')))
}
