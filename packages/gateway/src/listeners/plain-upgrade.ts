import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Serves a request whose offer to upgrade is not taken, where Node gave its connection away: the connection begins again
 * with the same request, without the offer.
 */
export function serveAsPlain(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    const lowerCase = name.toLowerCase()
    if (lowerCase === 'upgrade' || lowerCase === 'http2-settings') continue
    const value = lowerCase === 'connection' ? withoutOffer(rawHeaders[i + 1]!) : rawHeaders[i + 1]!
    lines.push(`${name}: ${value}`)
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket)
}

function withoutOffer(connection: string): string {
  const options = connection.split(',').map((option) => option.trim())
  return options.filter((option) => !/^(upgrade|http2-settings)$/i.test(option)).join(', ')
}
