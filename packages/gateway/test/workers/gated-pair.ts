import { type Channel, createChannel, type MessagePort } from '../../src/shared-state/channel.ts'

/** Two ends of a channel in one process, whose way to the worker can be made to stand. */
export interface GatedPair {
  readonly primary: Channel
  readonly worker: Channel
  /** Holds what the primary sends. */
  hold(): void
  /** Lets it go on, in its order. */
  release(): void
  /** Messages that the worker has sent. */
  sent(): number
  close(): void
}

export function gatedPair(): GatedPair {
  const closing: (() => void)[] = []
  const held: unknown[] = []
  let isHeld = false
  let isOpen = true
  let sent = 0
  let toPrimary = (_message: unknown): void => {}
  let toWorker = (_message: unknown): void => {}
  const later = (deliver: () => void): void => queueMicrotask(() => isOpen && deliver())
  const primary: MessagePort = {
    post(message) {
      const clone: unknown = structuredClone(message)
      if (isHeld) held.push(clone)
      else later(() => toWorker(clone))
      return isOpen
    },
    onMessage: (listener) => void (toPrimary = listener),
    onClose: (listener) => void closing.push(listener),
  }
  const worker: MessagePort = {
    post(message) {
      const clone: unknown = structuredClone(message)
      sent++
      later(() => toPrimary(clone))
      return isOpen
    },
    onMessage: (listener) => void (toWorker = listener),
    onClose: (listener) => void closing.push(listener),
  }
  return {
    primary: createChannel(primary),
    worker: createChannel(worker),
    hold: () => void (isHeld = true),
    release() {
      isHeld = false
      for (const message of held.splice(0)) later(() => toWorker(message))
    },
    sent: () => sent,
    close() {
      isOpen = false
      for (const listener of closing) listener()
    },
  }
}
