import { type Channel, createChannel, type MessagePort } from '../../src/shared-state/channel.ts'

/** Two ends of a channel in one process. Messages are cloned as between processes, and arrive in later turns. */
export function channelPair(): { readonly primary: Channel; readonly worker: Channel; close(): void } {
  const closing: (() => void)[] = []
  let isOpen = true
  const receivers: ((message: unknown) => void)[] = [() => {}, () => {}]
  const end = (own: 0 | 1): MessagePort => ({
    post(message) {
      const clone: unknown = structuredClone(message)
      if (isOpen) queueMicrotask(() => isOpen && receivers[1 - own]!(clone))
      return isOpen
    },
    onMessage: (listener) => void (receivers[own] = listener),
    onClose: (listener) => void closing.push(listener),
  })
  return {
    primary: createChannel(end(0)),
    worker: createChannel(end(1)),
    close() {
      isOpen = false
      for (const listener of closing) listener()
    },
  }
}
