import { createChannel, type Channel, type MessagePort } from '../../src/shared-state/channel.ts'

/** Two ends of a channel in one process, whose messages take their time but stay in order. `delayOf`: that time, in ms. */
export function delayedPair(delayOf: (to: 'primary' | 'worker') => number): {
  readonly primary: Channel
  readonly worker: Channel
} {
  const receivers: Record<'primary' | 'worker', (message: unknown) => void> = { primary: () => {}, worker: () => {} }
  const end = (to: 'primary' | 'worker', own: 'primary' | 'worker'): MessagePort => {
    let last: Promise<unknown> = Promise.resolve()
    return {
      post(message) {
        const clone: unknown = structuredClone(message)
        const delay = delayOf(to)
        const wait = delay > 0 ? new Promise((resolve) => setTimeout(resolve, delay)) : undefined
        last = Promise.all([last, wait]).then(() => receivers[to](clone))
        return true
      },
      onMessage: (listener) => void (receivers[own] = listener),
      onClose: () => {},
    }
  }
  return { primary: createChannel(end('worker', 'primary')), worker: createChannel(end('primary', 'worker')) }
}
