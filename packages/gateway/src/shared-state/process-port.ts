import { serialize } from 'node:v8'
import type { MessagePort } from './channel.ts'

/** A process with an IPC channel: a child in its parent, or the process itself in a child. */
export interface IpcProcess {
  readonly connected?: boolean
  send?(message: unknown, handle?: undefined, options?: undefined, callback?: (error: Error | null) => void): boolean
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'disconnect', listener: () => void): unknown
}

export interface ProcessPortOptions {
  /** Most bytes that wait while the other end does not read. Default 16 MiB. */
  readonly maxWaitingBytes?: number
  /** Called once when more than that would wait: the other end has stalled, and messages to it are lost from then on. */
  readonly onStalled: () => void
}

const mostWaiting = 16 * 1024 * 1024

/**
 * Makes a port of a child's IPC channel (`serialization: 'advanced'`). A message costs nothing beyond Node's own work; only while the
 * other end is behind by more than the system's buffer, each is measured.
 */
export function createProcessPort(
  peer: IpcProcess,
  { maxWaitingBytes = mostWaiting, onStalled }: ProcessPortOptions,
): MessagePort {
  let unsent = 0
  let isBehind = false
  let waitingBytes = 0
  let hasStalled = false

  return {
    post(message) {
      if (peer.connected !== true || hasStalled) return false
      if (isBehind) {
        waitingBytes += serialize(message).byteLength
        if (waitingBytes > maxWaitingBytes) {
          hasStalled = true
          onStalled()
          return false
        }
      }
      unsent++
      const hasRoom = peer.send!(message, undefined, undefined, () => {
        unsent--
        if (unsent > 0) return
        isBehind = false
        waitingBytes = 0
      })
      if (!hasRoom) isBehind = true
      return true
    },
    onMessage: (listener) => void peer.on('message', listener),
    onClose: (listener) => void peer.on('disconnect', listener),
  }
}
