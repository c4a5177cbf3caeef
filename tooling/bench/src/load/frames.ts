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

/** Prints a text as a server's frame. */
export function serverFrame(text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length >= 65_536) throw new RangeError('the text is too long for a node of the rig')
  const head = bytes.length < 126 ? [0x81, bytes.length] : [0x81, 126, bytes.length >> 8, bytes.length & 0xff]
  return Buffer.concat([Buffer.from(head), bytes])
}

/** Reads whole frames of a client, shorter than 64 kB, from the bytes as they come. */
export function createClientFrameReader(onFrame: (opcode: number, payload: Buffer) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (bytes) => {
    let all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    for (;;) {
      if (all.length < 2) break
      const short = all[1]! & 0x7f
      const maskAt = short === 126 ? 4 : 2
      if (all.length < maskAt + 4) break
      const from = maskAt + 4
      const to = from + (short === 126 ? all.readUInt16BE(2) : short)
      if (all.length < to) break
      const payload = Buffer.from(all.subarray(from, to))
      for (let i = 0; i < payload.length; i++) payload[i]! ^= all[maskAt + (i & 3)]!
      onFrame(all[0]! & 0x0f, payload)
      all = all.subarray(to)
    }
    rest = all
  }
}

/** Prints the request for an upgrade. */
export function printUpgrade(path: string): string {
  return (
    `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
    'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
  )
}
