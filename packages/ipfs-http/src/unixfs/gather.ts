import { IpfsError } from '../error.ts'

/** Joins all of `chunks`, in linear time however small they are. @throws IpfsError `too_large` */
export async function gather(
  chunks: AsyncIterable<Uint8Array>,
  mostBytes: number,
  what = '',
): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = new Uint8Array(0)
  let length = 0
  for await (const chunk of chunks) {
    const from = length
    length += chunk.byteLength
    if (length > mostBytes) throw new IpfsError('too_large', `expected at most ${mostBytes} bytes${what}`)
    if (length > bytes.byteLength) {
      const larger = new Uint8Array(Math.min(mostBytes, Math.max(length, 2 * bytes.byteLength)))
      larger.set(bytes.subarray(0, from))
      bytes = larger
    }
    bytes.set(chunk, from)
  }
  return length === bytes.byteLength ? bytes : bytes.slice(0, length)
}
