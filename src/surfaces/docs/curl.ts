import type { OperationObject } from '../openapi/document.ts'

/** An operation of a document, with where it stands there. */
export interface Entry {
  method: string
  path: string
  operation: OperationObject
}

/** The request as it can be pasted into a shell. */
export function curlOf(
  { method, path, operation }: Entry,
  baseUrl: string,
  isSigned: boolean,
): string {
  const { parameters = [], requestBody } = operation
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce(
      (url, { name, example }) =>
        url.replace(`{${name}}`, example === undefined ? name : String(example)),
      path,
    )
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
  const url = `${baseUrl}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`
  const body = requestBody?.content['application/json']?.example
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}'${url}'`,
    ...(isSigned
      ? [
          '  -H "X-Service-Key-Id: $KEY_ID"',
          '  -H "X-Service-Timestamp: $TIMESTAMP"',
          '  -H "X-Service-Nonce: $NONCE"',
          '  -H "X-Service-Signature: v1=$SIGNATURE"',
        ]
      : []),
    ...(parameters.some(({ required, in: place }) => required && place === 'header')
      ? ['  -H "Idempotency-Key: $KEY"']
      : []),
    ...(body === undefined
      ? []
      : [
          "  -H 'Content-Type: application/json'",
          `  -d '${jsonOf(body).replaceAll("'", "'\\''")}'`,
        ]),
  ]
  return lines.join(' \\\n')
}

/** On one line while it fits. */
function jsonOf(value: unknown): string {
  const line = JSON.stringify(value)
  return line.length <= LINE ? line : JSON.stringify(value, null, 2)
}
const LINE = 44
