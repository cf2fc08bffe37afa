import { readFile, writeFile } from 'node:fs/promises'
import { describeSettings } from './describe-settings.ts'

const FILE = new URL('../docs/OPERATING.md', import.meta.url)
const TABLE = /^\| variable \| default \|.*\n(?:\|.*\n)+/m

const text = await readFile(FILE, 'utf8')
await writeFile(
  FILE,
  text.replace(TABLE, () => describeSettings()),
)
