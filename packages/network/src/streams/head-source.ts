import type { HeadSource, HeadUpdate } from '@wayleave/evm-events'
import type { Clock, RawJson } from '@wayleave/jsonrpc-core'
import type { ChainView } from '@wayleave/upstream'

export interface HeadSourceOptions {
  /** Takes note that callers are told the served head; resolves when all replicas know, which is waited for a second. */
  readonly reportHead: () => Promise<unknown> | undefined
  /** Whether a header may pass on as that of the block with this hash, whichever upstream told it. */
  readonly passes: (header: RawJson, hash: string) => boolean
  readonly clock: Clock
}

/** Longest wait for replicas, in ms. */
const patienceMs = 1_000

/** Makes the heads of a view the source of a stream: each one counts as told before it is passed on, in order. */
export function headSource(
  view: Pick<ChainView, 'head' | 'header' | 'watch'>,
  { reportHead, passes, clock }: HeadSourceOptions,
): HeadSource {
  const headerOf = (header: RawJson | undefined, hash: string | undefined): RawJson | undefined =>
    header !== undefined && hash !== undefined && passes(header, hash) ? header : undefined
  return {
    get head() {
      return view.head
    },
    get header() {
      return headerOf(view.header, view.head?.hash)
    },
    watch(listener) {
      let isOver = false
      /** Resolves when the update that came last was passed on; undefined: none waits. */
      let last: Promise<void> | undefined
      const unwatch = view.watch(({ kind, at, header }) => {
        const update: HeadUpdate = { kind, at, header: headerOf(header, at.hash) }
        const ready = kind === 'new' ? reportHead() : undefined
        if (ready === undefined && last === undefined) return listener(update)
        const own: Promise<void> = Promise.all([last, ready && settledSoon(ready, clock)]).then(() => {
          if (last === own) last = undefined
          if (!isOver) listener(update)
        })
        last = own
      })
      return () => {
        isOver = true
        unwatch()
      }
    },
  }
}

/** Resolves when a promise has settled either way, or after a while. */
function settledSoon(promise: Promise<unknown>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(patienceMs, resolve)
    const settle = (): void => {
      stop()
      resolve()
    }
    promise.then(settle, settle)
  })
}
