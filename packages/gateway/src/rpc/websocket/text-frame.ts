/** Returns the length of the head of a frame without a mask (RFC 6455 §5.2). */
export function headLength(payload: number): number {
  if (payload < 126) return 2
  return payload < 65_536 ? 4 : 10
}

/** Prints the head of a whole text message. */
export function printHead(frame: Buffer, payload: number): void {
  frame[0] = 0x81
  if (payload < 126) frame[1] = payload
  else if (payload < 65_536) {
    frame[1] = 126
    frame.writeUInt16BE(payload, 2)
  } else {
    frame[1] = 127
    frame.writeUIntBE(0, 2, 2)
    frame.writeUIntBE(payload, 4, 6)
  }
}

/** Prints a whole text message as one frame, which the system is given at once: `ws` writes head and text apart. */
export function printTextFrame(text: string): Buffer {
  const payload = Buffer.byteLength(text)
  const at = headLength(payload)
  const frame = Buffer.allocUnsafe(at + payload)
  printHead(frame, payload)
  frame.write(text, at)
  return frame
}
