import type { RpcReply } from './server.ts'
import { encodeUtf8 } from './utf8.ts'

/** Bytes that an account pays for each message besides its own: its context, its promises, its timer. */
const messageCost = 4_096
/** Copies of a message's bytes while it is answered: the message, its text, its value, and those of its params on their way to a peer. */
const copies = 4

/** The bytes that an account pays for a message. */
export function costOf(body: Uint8Array): number {
  return copies * body.byteLength + messageCost
}

/** The length of a reply, in bytes; of a text in UTF-16 units. */
export function lengthOf(body: RpcReply['body']): number {
  if (typeof body === 'string') return body.length
  return (body as readonly Uint8Array[]).reduce((sum, chunk) => sum + chunk.byteLength, 0)
}

/** Reads a message; undefined for what is no text and no bytes. */
export function bytesOf(data: unknown): Uint8Array | undefined {
  if (typeof data === 'string') return encodeUtf8(data)
  if (data instanceof Uint8Array) return data
  return data instanceof ArrayBuffer ? new Uint8Array(data) : undefined
}

/** Reads the chunks of a large reply. @throws TypeError for one that is still arriving */
export function wholeBody(body: Exclude<RpcReply['body'], string>): readonly Uint8Array[] {
  if (Array.isArray(body)) return body as readonly Uint8Array[]
  void (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().return?.()
  throw new TypeError('a context that accepts no stream was expected')
}
