/* oxlint-disable eslint/no-underscore-dangle -- the names that node:stream has for what a stream implements */
import type { Socket } from 'node:net'

/** Writes of more bytes than this go out at once: the peer has enough to do with one. */
const longestDeferred = 16_384

/**
 * Returns a function that has a connection write at the end of the turn of the event loop (`nextTurn`), after what else arrived in it was
 * served. The first write of a turn wakes its peer; those that follow at once find it awake, and waking is most of what a write costs. All
 * that a connection writes in a turn is two writes at most. Nothing is lost: a connection that is destroyed writes first.
 */
export function createTurnWrites(nextTurn: (run: () => void) => void): (socket: Socket) => void {
  let deferred: (() => void)[] = []
  let isFlushing = false

  function flushAll(): void {
    const flushes = deferred
    deferred = []
    isFlushing = true
    let next = 0
    try {
      while (next < flushes.length) flushes[next++]!()
    } finally {
      isFlushing = false
      // A callback of a write has thrown: the others still go out.
      if (next < flushes.length && deferred.push(...flushes.slice(next)) > 0) nextTurn(flushAll)
    }
  }

  return (socket) => {
    const { _write: write, _writev: writeAll, _destroy: destroy } = socket
    let waiting: (() => void) | undefined
    const flush = (): void => {
      const now = waiting
      waiting = undefined
      now?.()
    }
    const defer = (now: () => void): void => {
      if (isFlushing) return now()
      waiting = now
      if (deferred.push(flush) === 1) nextTurn(flushAll)
    }
    socket._write = (chunk: string | Uint8Array, encoding, callback) => {
      if (chunk.length > longestDeferred) write.call(socket, chunk, encoding, callback)
      else defer(() => write.call(socket, chunk, encoding, callback))
    }
    socket._writev = (chunks, callback) => defer(() => writeAll!.call(socket, chunks, callback))
    socket._destroy = (why, callback) => {
      flush()
      destroy.call(socket, why, callback)
    }
  }
}
