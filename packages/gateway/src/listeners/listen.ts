import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Thrown where an address cannot be listened on: one sentence that says why and what to do. */
export class ListenError extends Error {
  override readonly name: string = 'ListenError'
}

/** Splits `host:port`; IPv6 hosts stand in brackets. */
export function splitAddress(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':')
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) }
}

/**
 * Listens, and tells where as `host:port`. `what` names the listener to a person; `onError` hears of connections that
 * could not be accepted later, which must not end the process. @throws ListenError
 */
export function listen(
  server: Server,
  address: string,
  what: string,
  onError: (error: Error) => void,
): Promise<string> {
  const { host, port } = splitAddress(address)
  return new Promise((resolve, reject) => {
    const refuse = (thrown: NodeJS.ErrnoException): void => reject(new ListenError(explain(thrown, address, what)))
    server.once('error', refuse)
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', refuse)
      server.on('error', onError)
      const bound = server.address() as AddressInfo
      resolve(`${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`)
    })
  })
}

function explain({ code, message }: NodeJS.ErrnoException, address: string, what: string): string {
  if (code === 'EADDRINUSE')
    return `${what} cannot listen on ${address}: the port is in use; stop its owner or choose another port (0 takes any free one).`
  if (code === 'EACCES')
    return `${what} cannot listen on ${address}: ports below 1024 need more rights; choose another one.`
  if (code === 'EADDRNOTAVAIL') return `${what} cannot listen on ${address}: this machine has no such address.`
  return `${what} cannot listen on ${address}: ${code ?? message}.`
}
