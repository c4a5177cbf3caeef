import { ChunkList } from './chunk-list.ts'
import { RpcError } from './error.ts'
import type { HttpReply } from './http-port.ts'
import { portFailure } from './port-failure.ts'

/** Holds a body. @throws RpcError `too_large` past `cap` bytes. */
export async function collectBody(body: HttpReply['body'], cap: number): Promise<readonly Uint8Array[]> {
  const held = new ChunkList()
  try {
    for await (const chunk of body) {
      if (held.byteLength + chunk.byteLength > cap) throw responseTooLarge(cap)
      held.add(chunk)
    }
  } catch (thrown) {
    throw portFailure(thrown, 'while the response was read')
  }
  return held.chunks
}

export function responseTooLarge(cap: number): RpcError {
  return new RpcError('too_large', `the response is longer than ${cap} bytes`)
}

export function lengthOf(chunks: readonly Uint8Array[]): number {
  let length = 0
  for (const chunk of chunks) length += chunk.byteLength
  return length
}
