import type { ChildProcess } from 'node:child_process'
import { type Channel, createChannel } from '../../src/shared-state/channel.ts'

/** Makes this process' end of the channel to a child, or to its parent. */
export function processChannel(other: ChildProcess | NodeJS.Process): Channel {
  return createChannel({
    post(message) {
      if (!other.connected) return false
      other.send!(message as object, undefined, undefined, () => {})
      return true
    },
    onMessage: (listener) => void other.on('message', listener),
    onClose: (listener) => void other.once('disconnect', listener),
  })
}
