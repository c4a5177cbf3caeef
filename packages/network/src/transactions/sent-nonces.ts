import type { Hex } from '@wayleave/evm-types'
import type { Clock, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import type { SenderNonce } from '../kinds/evm-reported.ts'
import type { SentTransaction, SigningKind } from '../kinds/evm-sent.ts'

/** The transactions that a network's nodes have accepted of late, to tell whether an answer knows them. */
export interface SentNonces {
  /** Takes note of a transaction that an answer accepts. `groups`: those whose upstreams may have it; undefined: all. */
  answered(request: RpcRequest, response: RpcResponse, groups: readonly string[] | undefined): void
  /**
   * The transactions of a sender that were accepted, from a nonce on without a gap; undefined: none is known. Senders are recovered here,
   * where a transaction of just this nonce raises the question, and no more of them than takes a tenth of the time.
   */
  from(sender: string, nonce: number): Promise<readonly AcceptedTransaction[]> | undefined
  /** The sender of the transaction that an answer accepts, its nonce, and when it was accepted first; undefined: it accepts none, or there is no time to recover it. */
  senderOf(
    request: RpcRequest,
    response: RpcResponse,
  ): Promise<(SenderNonce & Pick<AcceptedTransaction, 'at'>) | undefined> | undefined
  /** Recovers the sender of a transaction that is about to be sent; undefined: there is no time for that. */
  recover(raw: Hex): Promise<string | undefined> | undefined
}

export interface AcceptedTransaction extends SentTransaction {
  /** The time at which it was accepted first. */
  readonly at: number
  readonly groups: readonly string[] | undefined
  /** The time at which it was sent again last; undefined: never. */
  repeatedAt: number | undefined
}

export interface SentNoncesOptions {
  readonly signing: Pick<SigningKind, 'acceptedBy' | 'senderOf'>
  readonly clock: Clock
  /** Time for which a transaction is remembered, in ms. */
  readonly forMs: number
}

/** Most transactions of an answer. */
const mostFound = 16
/** Transactions that are remembered, and their digits in all. */
const mostSent = 1_000
const mostDigits = 4_000_000
/** Transactions about to be sent whose senders are remembered, and the digits of the longest. */
const mostRecovered = 256
const longestRecovered = 16_384
/** The part of the time that recovering senders may take, and most of it at once, in ms. */
const share = 0.1
const burstMs = 100

interface Sent extends AcceptedTransaction {
  /** Undefined until it is recovered. */
  sender: Promise<string | undefined> | undefined
}

export function createSentNonces({ signing, clock, forMs }: SentNoncesOptions): SentNonces {
  /** By their raw form; the one accepted last comes last. */
  const all = new Map<string, Sent>()
  /** Senders of transactions that are on their way. */
  const onTheirWay = new Map<string, Promise<string | undefined>>()
  let digits = 0
  let creditMs = burstMs
  let creditAt = clock.now()

  function forget(sent: Sent): void {
    all.delete(sent.raw)
    digits -= sent.raw.length
  }

  /** Whether there is time to recover a sender. */
  function hasTime(now: number): boolean {
    creditMs = Math.min(burstMs, creditMs + share * (now - creditAt))
    creditAt = now
    return creditMs > 0
  }

  async function recover({ raw }: Pick<Sent, 'raw'>): Promise<string | undefined> {
    // The work of one is a turn of its own.
    await new Promise<void>((resolve) => void clock.after(0, resolve))
    const from = clock.now()
    try {
      return await signing.senderOf(raw)
    } finally {
      creditMs -= clock.now() - from
    }
  }

  /** Transactions of a nonce, the last one first. */
  function candidatesOf(nonce: number): readonly Sent[] {
    const since = clock.now() - forMs
    return [...all.values()].filter((sent) => sent.nonce === nonce && sent.at > since).toReversed()
  }

  async function find(sender: string, nonce: number): Promise<Sent | undefined> {
    for (const sent of candidatesOf(nonce)) {
      if (sent.sender === undefined && !hasTime(clock.now())) continue
      sent.sender ??= recover(sent)
      if ((await sent.sender) === sender) return sent
    }
    return undefined
  }

  async function collect(sender: string, nonce: number): Promise<readonly Sent[]> {
    const found: Sent[] = []
    while (found.length < mostFound) {
      const next = await find(sender, nonce + found.length)
      if (next === undefined) break
      found.push(next)
    }
    return found
  }

  return {
    answered(request, response, groups) {
      const sent = signing.acceptedBy(request, response)
      if (sent === undefined || sent.raw.length > mostDigits / 10 || all.has(sent.raw)) return
      for (const old of all.values()) {
        if (old.at + forMs > clock.now() && all.size < mostSent && digits + sent.raw.length <= mostDigits) break
        forget(old)
      }
      all.set(sent.raw, { ...sent, at: clock.now(), groups, repeatedAt: undefined, sender: onTheirWay.get(sent.raw) })
      onTheirWay.delete(sent.raw)
      digits += sent.raw.length
    },
    recover(raw) {
      const known = all.get(raw)?.sender ?? onTheirWay.get(raw)
      if (known !== undefined || !hasTime(clock.now())) return known
      const sender = recover({ raw })
      if (raw.length > longestRecovered) return sender
      if (onTheirWay.size >= mostRecovered) onTheirWay.delete(onTheirWay.keys().next().value!)
      onTheirWay.set(raw, sender)
      return sender
    },
    from(sender, nonce) {
      return all.size === 0 || candidatesOf(nonce).length === 0 ? undefined : collect(sender, nonce)
    },
    senderOf(request, response) {
      const sent = all.get(signing.acceptedBy(request, response)?.raw ?? '')
      if (sent === undefined || (sent.sender === undefined && !hasTime(clock.now()))) return undefined
      sent.sender ??= recover(sent)
      return sent.sender.then((sender) =>
        sender === undefined ? undefined : { sender, nonce: sent.nonce, at: sent.at },
      )
    },
  }
}
