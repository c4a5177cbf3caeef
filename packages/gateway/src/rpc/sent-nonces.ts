import type { Clock, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import type { SentTransaction, SigningKind } from '../networks/evm-sent.ts'

/** The transactions that a network's nodes have accepted of late, to tell whether an answer knows them. */
export interface SentNonces {
  /** Takes note of a transaction that an answer accepts. */
  answered(request: RpcRequest, response: RpcResponse): void
  /**
   * The time at which a transaction of a sender and a nonce was accepted; undefined: none is known. Senders are recovered here, where a
   * transaction of just this nonce raises the question, and no more of them than takes a twentieth of the time.
   */
  acceptedAt(sender: string, nonce: number): Promise<number | undefined> | undefined
}

export interface SentNoncesOptions {
  readonly signing: Pick<SigningKind, 'acceptedBy' | 'senderOf'>
  readonly clock: Clock
  /** Time for which a transaction is remembered, in ms. */
  readonly forMs: number
}

/** Transactions that are remembered, and their digits in all. */
const mostSent = 1_000
const mostDigits = 4_000_000
/** The part of the time that recovering senders may take, and most of it at once, in ms. */
const share = 0.05
const burstMs = 100

interface Sent extends SentTransaction {
  readonly at: number
  /** Undefined until it is recovered. */
  sender: Promise<string | undefined> | undefined
}

export function createSentNonces({ signing, clock, forMs }: SentNoncesOptions): SentNonces {
  /** The one accepted last comes last. */
  const all = new Set<Sent>()
  let digits = 0
  let creditMs = burstMs
  let creditAt = clock.now()

  function forget(sent: Sent): void {
    all.delete(sent)
    digits -= sent.raw.length
  }

  /** Whether there is time to recover a sender. */
  function hasTime(now: number): boolean {
    creditMs = Math.min(burstMs, creditMs + share * (now - creditAt))
    creditAt = now
    return creditMs > 0
  }

  async function recover({ raw }: Sent): Promise<string | undefined> {
    // The work of one is a turn of its own.
    await new Promise<void>((resolve) => void clock.after(0, resolve))
    const from = clock.now()
    try {
      return await signing.senderOf(raw)
    } finally {
      creditMs -= clock.now() - from
    }
  }

  async function find(sender: string, candidates: readonly Sent[]): Promise<number | undefined> {
    for (const sent of candidates) {
      if (sent.sender === undefined && !hasTime(clock.now())) continue
      sent.sender ??= recover(sent)
      if ((await sent.sender) === sender) return sent.at
    }
    return undefined
  }

  return {
    answered(request, response) {
      const sent = signing.acceptedBy(request, response)
      if (sent === undefined || sent.raw.length > mostDigits / 10) return
      for (const old of all) {
        if (old.at + forMs > clock.now() && all.size < mostSent && digits + sent.raw.length <= mostDigits) break
        forget(old)
      }
      all.add({ ...sent, at: clock.now(), sender: undefined })
      digits += sent.raw.length
    },
    acceptedAt(sender, nonce) {
      if (all.size === 0) return undefined
      const since = clock.now() - forMs
      const candidates = [...all].filter((sent) => sent.nonce === nonce && sent.at > since)
      return candidates.length === 0 ? undefined : find(sender, candidates.toReversed())
    },
  }
}
