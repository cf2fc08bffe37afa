const BOUNDARY = 'a-boundary-of-the-test'

/** A form as browsers send it with a file: its fields, and the file behind them. */
export function formWithFile(
  content: string,
  fields: Record<string, string>,
  fileName = 'names.csv',
): { type: string; body: string } {
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const file = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${fileName}"\r\ncontent-type: text/csv\r\n\r\n${content}\r\n--${BOUNDARY}--\r\n`
  return { type: `multipart/form-data; boundary=${BOUNDARY}`, body: parts.join('') + file }
}
