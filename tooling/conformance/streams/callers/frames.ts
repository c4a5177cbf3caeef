/** Prints a short text as a client's frame, under the mask of zeros. */
export function textFrame(text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length >= 65_536) throw new RangeError('the text is too long for a caller of the rig')
  const head = bytes.length < 126 ? [0x81, 0x80 | bytes.length] : [0x81, 0xfe, bytes.length >> 8, bytes.length & 0xff]
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), bytes])
}

/** A pong without payload. */
export const pong = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])

export const opcodes = { text: 1, close: 8, ping: 9 } as const

/** Reads whole frames of a server from the bytes as they come. Whatever is over of them is copied, so that callers stay small. */
export function createFrameReader(onFrame: (opcode: number, payload: Buffer) => void): (bytes: Buffer) => void {
  let rest: Buffer | undefined
  return (bytes) => {
    let all = rest === undefined ? bytes : Buffer.concat([rest, bytes])
    for (;;) {
      const frame = frameIn(all)
      if (frame === undefined) break
      onFrame(all[0]! & 0x0f, all.subarray(frame.from, frame.to))
      all = all.subarray(frame.to)
    }
    rest = all.length === 0 ? undefined : Buffer.from(all)
  }
}

function frameIn(bytes: Buffer): { readonly from: number; readonly to: number } | undefined {
  if (bytes.length < 2) return undefined
  const short = bytes[1]! & 0x7f
  const from = short === 126 ? 4 : short === 127 ? 10 : 2
  if (bytes.length < from) return undefined
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  return bytes.length < from + length ? undefined : { from, to: from + length }
}
