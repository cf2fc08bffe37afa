import { readdirSync, readFileSync } from 'node:fs'
import { validateXML } from 'xmllint-wasm'

const FOLDER = new URL('../schemas/', import.meta.url)

/** What is wrong with frames by the schemas of their RFCs; nothing when all are valid. */
export async function schemaProblems(frames: readonly string[]): Promise<string[]> {
  const files = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.xsd'))
    .map((fileName) => ({ fileName, contents: readFileSync(new URL(fileName, FOLDER), 'utf8') }))
  const distinct = [...new Set(frames)]
  const { errors } = await validateXML({
    xml: distinct.map((contents, index) => ({ fileName: `frame-${index}.xml`, contents })),
    schema: files.filter(({ fileName }) => fileName === 'all.xsd'),
    preload: files.filter(({ fileName }) => fileName !== 'all.xsd'),
    maxMemoryPages: 4_096,
  })
  return errors.map(({ message, loc }) => {
    const index = Number(/\d+/.exec(loc?.fileName ?? '')?.[0])
    return `${message} in ${distinct[index] ?? 'a frame'}`
  })
}
