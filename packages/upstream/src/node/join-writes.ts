/* oxlint-disable eslint/no-underscore-dangle -- the names that node:stream has for what a stream implements */
import type { Socket } from 'node:net'

/** Most bytes that are copied to be one write. */
const longestJoined = 16_384

/**
 * Has a connection write what was corked as one text where it is short: a head and a body cost one write of a text less than a write of both.
 */
export function joinWrites(socket: Socket): void {
  const { _writev: writeAll } = socket
  socket._writev = (chunks, callback) => {
    let length = 0
    for (const { chunk } of chunks) length += (chunk as string | Uint8Array).length
    if (length > longestJoined || !chunks.every(isLatin1)) return writeAll!.call(socket, chunks, callback)
    let text = ''
    for (const { chunk } of chunks) text += typeof chunk === 'string' ? chunk : (chunk as Buffer).toString('latin1')
    socket._write(text, 'latin1', callback)
  }
}

function isLatin1({ chunk, encoding }: { readonly chunk: unknown; readonly encoding: string }): boolean {
  return typeof chunk === 'string' ? encoding === 'latin1' : Buffer.isBuffer(chunk)
}
