import type { ByteStream } from './backend.ts'
import { IpfsError } from './error.ts'

/** Reads all bytes of a stream. Throws `too_large` with the message `tooLarge` beyond `cap` bytes. */
export async function readWhole(stream: ByteStream, cap: number, tooLarge: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.byteLength
    if (length > cap) throw new IpfsError('too_large', tooLarge)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}
