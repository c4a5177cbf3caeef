import type { Duplex } from 'node:stream'
import type { ByteAccount, Clock } from '@wayleave/jsonrpc-core'
import type { WebSocket } from 'ws'
import { closeAtOnce } from './close-at-once.ts'

/** Copies of a message while it is served, as for a body over HTTP. */
const copies = 4
/** Bytes that a chunk or a fragment costs besides its own: the objects that keep it. */
const pieceCost = 512
/** The first opcode of control frames. */
const closeOpcode = 8

/**
 * Follows the frames of a client (RFC 6455 §5.2), and tells what its receiver holds, and what will be, of a message that is not whole. It checks nothing:
 * the receiver closes the connection for what is wrong.
 */
export interface FrameMeter {
  /** Frames that have ended, of all kinds. */
  readonly frames: number
  /** Takes the next chunk; returns the bytes that are held after it. */
  pass(chunk: Uint8Array): number
}

/** Creates the meter of a connection. */
export function createFrameMeter(): FrameMeter {
  /** Bytes of the head that have come, of the frame that is arriving. */
  let head = 0
  /** Bytes of that head, as far as it is known. */
  let headLength = 2
  let isControl = false
  let isFinal = true
  let hasShortMask = 0
  /** Bytes of its payload that have not come. */
  let left = 0
  let held = 0
  let frames = 0

  function readHead(byte: number): void {
    if (head === 0) {
      isFinal = (byte & 0x80) !== 0
      isControl = (byte & 0x0f) >= closeOpcode
    } else if (head === 1) {
      const short = byte & 0x7f
      hasShortMask = (byte & 0x80) === 0 ? 0 : 4
      const extended = short === 126 ? 2 : short === 127 ? 8 : 0
      headLength = 2 + extended + hasShortMask
      left = extended === 0 ? short : 0
    } else if (head < headLength - hasShortMask) left = left * 256 + byte
    head++
  }

  /** Ends a frame whose payload has come. */
  function endFrame(): void {
    frames++
    head = 0
    headLength = 2
    if (isControl) return
    held = isFinal ? 0 : held + pieceCost
  }

  return {
    get frames() {
      return frames
    },
    pass(chunk) {
      const end = chunk.byteLength
      let at = 0
      while (at < end) {
        if (head < headLength) {
          readHead(chunk[at++]!)
          if (head === headLength && left === 0) endFrame()
          continue
        }
        const taken = Math.min(left, end - at)
        at += taken
        left -= taken
        if (!isControl) held += copies * taken
        if (left === 0) endFrame()
        else if (!isControl) held += pieceCost
      }
      return held
    },
  }
}

/**
 * Charges the part of a message that has come before its rest has. Where it may not be held, the connection closes as `overloaded`. Returns a
 * function that counts the frames that have come.
 */
export function meterArriving(socket: Duplex, webSocket: WebSocket, account: ByteAccount, clock: Clock): () => number {
  const meter = createFrameMeter()
  let charged = 0
  const charge = (held: number): boolean => {
    const more = held - charged
    if (more > 0 && !account.take(more)) return false
    if (more < 0) account.give(-more)
    charged = held
    return true
  }
  const onData = (chunk: Uint8Array): void => {
    if (charge(meter.pass(chunk))) return
    socket.off('data', onData)
    // The part of the message that came is held until the connection is gone.
    closeAtOnce(webSocket, clock, 'overloaded', account.refusal().message)
  }
  // Before the receiver, so that a message that is whole is charged once.
  socket.prependListener('data', onData)
  socket.on('close', () => void charge(0))
  return () => meter.frames
}
