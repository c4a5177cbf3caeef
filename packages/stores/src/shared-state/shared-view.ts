import type { NumbersOptions, SharedPort } from './shared-port.ts'

/** The hash of a head that was announced to callers, and the upstream that has it, as far as they are known. */
export interface HeadSource {
  readonly hash?: string | undefined
  readonly by?: string | undefined
}

/** The heads and nonces that callers of a network were told, by any process: what was announced is not taken back. Reads answer from a copy in this process. */
export interface SharedView {
  /** The highest head that was announced; 0 before the first. */
  readonly head: number
  /** Raises the head; a lower one changes nothing here, and other processes learn its hash. */
  raise(head: number, source?: HeadSource): void
  /** Sets the head back, when the chain itself has gone back. */
  lower(head: number): void
  /** The highest pending nonce of a sender that was announced in the last minute; 0 where none was. `now` is a time of the clock. */
  nonceOf(sender: string, now: number): number
  /** Raises the nonce of a sender, as of a time of the clock. */
  raiseNonce(sender: string, nonce: number, now: number): void
  /**
   * Resolves when all processes know what was raised here so far: a head that is announced after that goes back at none of them. Rejects where
   * that cannot be known. Undefined where this process is alone.
   */
  settled?(): Promise<unknown>
  /** Calls `listener`, which must not throw, with each head that another process has announced, and that was not known here. */
  watch(listener: (head: number, source: HeadSource) => void): () => void
}

/** Time for which a nonce is remembered, in ms: a transaction may be dropped by all nodes in the end. */
export const nonceForMs = 60_000
const mostSenders = 10_000
const mostHashes = 128
/** A head that was raised by none for a day is that of a chain that stands, or of a deployment that is gone. */
const headOptions: NumbersOptions = { most: 1, forMs: 86_400_000, isReread: true }

/** Opens the view of a network. */
export function createSharedView(port: SharedPort, network: string): SharedView {
  const heads = port.numbers(`view:${network}:head`, headOptions)
  const hashes = port.numbers(`view:${network}:hashes`, { most: mostHashes, forMs: headOptions.forMs })
  const nonces = port.numbers(`view:${network}:nonces`, { most: mostSenders, forMs: nonceForMs })
  // The three ports of a worker share one function.
  const settles = [...new Set([heads, hashes, nonces].flatMap(({ settled }) => settled ?? []))]
  return {
    get head() {
      // A head does not end here by itself.
      return heads.get('head', 0)?.number ?? 0
    },
    raise(head, { hash = '', by = '' } = {}) {
      if (hash !== '') hashes.max(hash, head, by)
      // Without a note the hash says which upstream has it.
      heads.max('head', head, hash === '' ? by : '')
    },
    lower: (head) => heads.reset('head', head),
    nonceOf: (sender, now) => nonces.get(sender, now)?.number ?? 0,
    raiseNonce: (sender, nonce, now) => nonces.max(sender, nonce, '', now),
    ...(settles.length > 0 && {
      settled: () => (settles.length === 1 ? settles[0]!() : Promise.all(settles.map((settled) => settled()))),
    }),
    watch(listener) {
      const stops = [
        hashes.watch(([hash, , head, by]) => listener(head, { hash, by: by || undefined })),
        heads.watch(([, , head, by]) => by !== '' && listener(head, { hash: undefined, by })),
      ]
      return () => stops.forEach((stop) => stop())
    },
  }
}
