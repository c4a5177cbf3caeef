import type { IncomingMessage } from 'node:http'

/**
 * Calls `done` once with the body, or with undefined where it is longer than `cap` bytes (the rest is then read by nobody).
 * A body that breaks off is never reported: the connection is gone.
 */
export function readBody(
  request: IncomingMessage,
  declaredLength: string | undefined,
  cap: number,
  done: (body: Uint8Array | undefined) => void,
): void {
  if (Number(declaredLength) > cap) return done(undefined)
  let body: Uint8Array | undefined
  let length = 0
  let over = false
  request.on('data', (chunk: Uint8Array) => {
    if (over) return
    const begin = length
    length += chunk.byteLength
    if (length > cap) {
      over = true
      body = undefined
      done(undefined)
      return
    }
    // Nearly every body is one chunk. Others are gathered in memory that doubles, so that tiny chunks cost no more than their bytes.
    if (body === undefined) {
      body = chunk
      return
    }
    if (length > body.byteLength) {
      const roomier = new Uint8Array(Math.max(length, Math.min(2 * length, cap)))
      roomier.set(body.subarray(0, begin))
      body = roomier
    }
    body.set(chunk, begin)
  })
  request.on('end', () => {
    if (!over) done(body === undefined ? new Uint8Array() : body.subarray(0, length))
  })
}
