import { readFileSync } from 'node:fs'
import { validateXML } from 'xmllint-wasm'

/** What is wrong with a file by the schema of its message; nothing when it is valid. */
export async function problemsOf(
  xml: string,
  message: 'pain.001.001.09' | 'pain.002.001.10',
): Promise<string[]> {
  const fileName = `${message}.xsd`
  const contents = readFileSync(new URL(`schemas/${fileName}`, import.meta.url), 'utf8')
  const { errors } = await validateXML({
    xml: [{ fileName: 'file.xml', contents: xml }],
    schema: [{ fileName, contents }],
    maxMemoryPages: 4_096,
  })
  return errors.map((error) => error.message)
}
