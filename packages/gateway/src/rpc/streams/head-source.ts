import type { HeadSource, HeadUpdate } from '@wayleave/evm-events'
import type { ChainView } from '@wayleave/upstream'

export interface HeadSourceOptions {
  /** Takes note that callers are told the served head; resolves when all replicas know. */
  readonly tellHead: () => Promise<void> | undefined
  /** Whether headers may pass on, whichever upstream told them. */
  readonly hasHeaders: boolean
}

/** Makes the heads of a view the source of a stream: each one counts as told before it is passed on, in order. */
export function headSource(view: ChainView, { tellHead, hasHeaders }: HeadSourceOptions): HeadSource {
  return {
    get head() {
      return view.head
    },
    get header() {
      return hasHeaders ? view.header : undefined
    },
    watch(listener) {
      let isOver = false
      /** Resolves when the update that came last was passed on; undefined: none waits. */
      let last: Promise<void> | undefined
      const unwatch = view.watch(({ kind, at, header }) => {
        const update: HeadUpdate = { kind, at, header: hasHeaders ? header : undefined }
        const ready = kind === 'new' ? tellHead() : undefined
        if (ready === undefined && last === undefined) return listener(update)
        const own: Promise<void> = Promise.all([last, ready]).then(() => {
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
