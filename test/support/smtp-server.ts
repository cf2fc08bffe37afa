import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'

/** A mail server that takes everything, and keeps it as it came. */
export interface SmtpServer {
  url: string
  /** Each message, with its parts decoded. */
  messages: string[]
  stop(): void
}

export async function startSmtpServer(): Promise<SmtpServer> {
  const messages: string[] = []
  const server: Server = createServer((socket) => {
    let heard = ''
    let isMessage = false
    socket.on('error', () => {})
    socket.write('220 here\r\n')
    socket.on('data', (chunk) => {
      heard += chunk
      if (isMessage) {
        if (!heard.endsWith('\r\n.\r\n')) return
        messages.push(decoded(heard))
        isMessage = false
        heard = ''
        socket.write('250 ok\r\n')
        return
      }
      for (const line of heard.split('\r\n').slice(0, -1)) {
        isMessage ||= line === 'DATA'
        socket.write(line === 'DATA' ? '354 go on\r\n' : '250 ok\r\n')
      }
      heard = ''
    })
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    stop: () => server.close(),
  }
}

/** Quoted-printable, as long as it holds ASCII alone. */
function decoded(text: string): string {
  return text
    .replaceAll('=\r\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
