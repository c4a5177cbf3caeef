/** The hash of a head that was told to callers, and the upstream that has it, as far as they are known. */
export interface HeadSource {
  readonly hash?: string | undefined
  readonly by?: string | undefined
}

/**
 * The heads that callers of a network were told, and the nonces: what was told is not taken back. Of one process; where several serve
 * the same callers, they share one.
 */
export interface ViewStore {
  /** The highest head that was told; 0 before the first. */
  readonly head: number
  /** Raises the head; a lower one changes nothing here, and other processes may learn its hash. */
  raise(head: number, source?: HeadSource): void
  /** Sets the head back, when the chain itself has gone back. */
  lower(head: number): void
  /** The highest pending nonce of a sender that was told of late; 0 where none was. */
  nonceOf(sender: string, now: number): number
  raiseNonce(sender: string, nonce: number, now: number): void
  /** Resolves when all processes that share the store know what was raised here so far. Absent where no other process does. */
  settled?(): Promise<void>
  /** Calls `listener` with each head that another process has told, and that was not known here. Absent like `settled`. */
  watch?(listener: (head: number, source: HeadSource) => void): void
}

/** Senders that are remembered. */
const mostSenders = 10_000
/** Time for which a nonce is remembered, in ms: a transaction may be dropped by all nodes in the end. */
export const nonceForMs = 60_000

/** Creates a store in memory. */
export function createViewStore(): ViewStore {
  /** The one told last comes last. */
  const nonces = new Map<string, { readonly nonce: number; readonly until: number }>()
  let head = 0

  const nonceOf = (sender: string, now: number): number => {
    const told = nonces.get(sender)
    return told !== undefined && told.until > now ? told.nonce : 0
  }
  return {
    get head() {
      return head
    },
    raise(told) {
      if (told > head) head = told
    },
    lower(told) {
      head = told
    },
    nonceOf,
    raiseNonce(sender, nonce, now) {
      if (nonce < nonceOf(sender, now)) return
      nonces.delete(sender)
      if (nonces.size >= mostSenders) nonces.delete(nonces.keys().next().value!)
      nonces.set(sender, { nonce, until: now + nonceForMs })
    },
  }
}
