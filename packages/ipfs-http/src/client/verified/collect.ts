import { IpfsError } from '../../error.ts'

/** All of `chunks` in one. @throws IpfsError `too_large` */
export async function collect(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.byteLength
    if (length > maxBytes) throw new IpfsError('too_large', `expected at most ${maxBytes} bytes`)
    all.push(chunk)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of all) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}
