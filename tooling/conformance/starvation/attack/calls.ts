import { gzipSync } from 'node:zlib'
import type { AttackContext } from '../family.ts'

/** Longest body that the default `maxBodyBytes` takes, less something for the rest of the call. */
export const longBytes = 4_900_000

/**
 * Prints a read that no other call is the same as. `behaviour` says what the node does with it: `hang:`, `slow:<ms>`, `reset:`,
 * `drip:<bytes>`, `long:<bytes>`; with `!` before the colon, also the second node. Default: it answers at once.
 */
export function read({ next }: Pick<AttackContext, 'next'>, behaviour = ''): string {
  const id = next()
  return `{"jsonrpc":"2.0","id":${id},"method":"eth_getBalance","params":["${behaviour}-${id}","latest"]}`
}

/** Prints a batch of {@link read}s. */
export function batch(context: Pick<AttackContext, 'next'>, count: number, behaviour = ''): string {
  return `[${Array.from({ length: count }, () => read(context, behaviour)).join()}]`
}

/** Prints a POST request. Its body is all there, unless `contentLength` says that there is more. */
export function post(
  path: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
  contentLength = Buffer.byteLength(body),
): Buffer {
  const lines = [`POST ${path} HTTP/1.1`, 'Host: localhost', `Content-Length: ${contentLength}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)])
}

/** Compresses a call whose params are {@link longBytes} long into 5 kB. */
export function longCallInGzip(): Buffer {
  return gzipSync(`{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${'a'.repeat(longBytes)}"]}`)
}
