import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { ProjectAccount } from '@wayleave/http-server'

/** Frames that are read at once: less than a millisecond of work. More in one chunk are so small that a client means no good. */
const mostAtOnce = 256
/** Bytes of an answer that take as long to pass on. */
const worthOf = 256 * 1_024

/**
 * Makes the receiver of a connection read many small frames a part at a time, in turns with what other projects do: a chunk of 64 kB holds
 * 10,000 empty ones, which take some 30 ms. `framesSoFar`: frames in all that has come, this chunk included.
 */
export function readFramesInTurns(
  socket: Duplex,
  webSocket: WebSocket,
  account: Pick<ProjectAccount, 'turn'>,
  framesSoFar: () => number,
): void {
  const receivers = socket.listeners('data') as ((chunk: Uint8Array) => void)[]
  const receive = receivers.at(-1)!
  /** Parts that wait for their turn. */
  let waiting: Uint8Array[] = []
  let isGoing = false
  let counted = framesSoFar()

  function take(chunk: Uint8Array): void {
    const frames = framesSoFar() - counted
    counted += frames
    if (frames <= mostAtOnce && !isGoing) return receive.call(socket, chunk)
    const step = Math.ceil((chunk.byteLength * mostAtOnce) / Math.max(frames, mostAtOnce))
    for (let at = 0; at < chunk.byteLength; at += step) waiting.push(chunk.subarray(at, at + step))
    socket.pause()
    if (!isGoing) goOn()
  }

  function goOn(): void {
    isGoing = true
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      receive.call(socket, part)
      if (waiting.length === 0) break
      const turn = account.turn(worthOf)
      if (turn !== undefined) return void turn.then(goOn)
    }
    isGoing = false
    // Its session may have had enough.
    if (!webSocket.isPaused) socket.resume()
  }

  socket.off('data', receive)
  socket.on('data', take)
  socket.on('close', () => {
    socket.off('data', take)
    waiting = []
  })
}
