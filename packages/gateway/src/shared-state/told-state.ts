import { nonceForMs } from '../network/view-store.ts'

/** A head that callers were told, with its hash and the upstream that has it, as far as they are known; else empty. */
export type ToldHead = readonly [number: number, hash: string, by: string]

/** The changes of what callers of a network were told. */
export interface ToldNews {
  /** Counts how often the head was set back: a later epoch wins, within one the higher head. */
  readonly epoch: number
  readonly head: number
  readonly heads: readonly ToldHead[]
  /** Senders, their nonces, and the ms for which these are still to be remembered. */
  readonly nonces: readonly (readonly [sender: string, nonce: number, forMs: number])[]
}

/** The heads and nonces that callers of a network were told, as one process knows them. */
export interface ToldState {
  readonly epoch: number
  readonly head: number
  /** Takes what another process told, and returns what was not known here; undefined: all was. */
  merge(news: ToldNews, now: number): ToldNews | undefined
  /** Takes note of a head; whether the others need to know. */
  raise(...told: ToldHead): boolean
  /** Sets the head back. */
  lower(head: number): void
  nonceOf(sender: string, now: number): number
  /** Takes note of a nonce; whether the others need to know. */
  raiseNonce(sender: string, nonce: number, now: number): boolean
  /** All that is known. */
  all(now: number): ToldNews
}

const mostSenders = 10_000
/** Hashes of heads that are remembered. */
const mostHashes = 128
/** A nonce that is told again is passed on again after so long, in ms, before the others forget it. */
const renewNonceMs = 15_000

export function createToldState(): ToldState {
  let epoch = 0
  let head = 0
  /** The one told last comes last. */
  const nonces = new Map<string, { readonly nonce: number; readonly until: number }>()
  /** Heads by their hash, the oldest first. */
  const hashes = new Map<string, ToldHead>()

  const nonceOf = (sender: string, now: number): number => {
    const told = nonces.get(sender)
    return told !== undefined && told.until > now ? told.nonce : 0
  }

  function keepNonce(sender: string, nonce: number, until: number): void {
    nonces.delete(sender)
    if (nonces.size >= mostSenders) nonces.delete(nonces.keys().next().value!)
    nonces.set(sender, { nonce, until })
  }

  /** Whether the hash was not known. */
  function keepHash(told: ToldHead): boolean {
    const [, hash] = told
    if (hash === '' || hashes.has(hash)) return false
    if (hashes.size >= mostHashes) hashes.delete(hashes.keys().next().value!)
    hashes.set(hash, told)
    return true
  }

  return {
    get epoch() {
      return epoch
    },
    get head() {
      return head
    },
    merge(news, now) {
      const newHeads = news.heads.filter((told) => (told[1] === '' ? told[0] > head : keepHash(told)))
      const newNonces = news.nonces.filter(([sender, nonce, forMs]) => {
        const known = nonces.get(sender)
        const until = now + forMs
        if (nonce < nonceOf(sender, now) || (known?.nonce === nonce && known.until >= until)) return false
        keepNonce(sender, nonce, until)
        return true
      })
      const isLater = news.epoch > epoch || (news.epoch === epoch && news.head > head)
      if (isLater) {
        epoch = news.epoch
        head = news.head
      }
      if (!isLater && newHeads.length + newNonces.length === 0) return undefined
      return { epoch, head, heads: newHeads, nonces: newNonces }
    },
    raise(...told) {
      const isHashNew = keepHash(told)
      if (told[0] <= head) return isHashNew
      head = told[0]
      return true
    },
    lower(told) {
      epoch++
      head = told
    },
    nonceOf,
    raiseNonce(sender, nonce, now) {
      const known = nonceOf(sender, now)
      if (nonce < known) return false
      if (nonce === known && known > 0 && nonces.get(sender)!.until - now > nonceForMs - renewNonceMs) return false
      keepNonce(sender, nonce, now + nonceForMs)
      return true
    },
    all(now) {
      const living = [...nonces].filter(([, { until }]) => until > now)
      return {
        epoch,
        head,
        heads: [...hashes.values()],
        nonces: living.map(([sender, { nonce, until }]) => [sender, nonce, until - now]),
      }
    },
  }
}
