import type { Clock } from '@wayleave/jsonrpc-core'
import { type HeadSource, nonceForMs, type ViewStore } from '../network/view-store.ts'
import type { Channel } from './channel.ts'
import { createToldState, type ToldNews, type ToldState } from './told-state.ts'

/** A message about the view of a network. */
export interface ToldMessage {
  readonly network: string
  readonly news: ToldNews
}

/** A worker that set the head back, and what it knew then. */
export interface LowerMessage {
  readonly network: string
  readonly epoch: number
  readonly head: number
}

/** The heads and nonces that callers were told by any worker, kept in the primary. */
export interface ToldViews {
  /** The view of a network as the primary itself uses it. */
  view(network: string): Required<ViewStore>
  /** Serves a worker from now on; it is forgotten once its channel has closed. */
  serve(channel: Channel): void
}

interface View {
  readonly state: ToldState
  readonly listeners: Set<(head: number, source: HeadSource) => void>
  /** Resolves when all news so far have been spread. */
  last: Promise<void>
}

/**
 * Time after the last answer to a worker for which the primary waits until it has taken note of a head or a nonce, in ms: then its lease is
 * over, and it tells nothing before it has caught up.
 */
export const patienceMs = 50
/** Time for which a worker may tell heads and nonces after it asked the primary, in ms. Timers may be early, so it is below {@link patienceMs}. */
export const leaseMs = 45

/** Keeps what callers were told. News pass to all other workers before whoever told them goes on. */
export function createToldViews({ clock }: { readonly clock: Clock }): ToldViews {
  const views = new Map<string, View>()
  /** The time of the last answer to each worker. */
  const workers = new Map<Channel, number>()

  function viewOf(network: string): View {
    let view = views.get(network)
    if (view === undefined) {
      view = { state: createToldState(), listeners: new Set(), last: Promise.resolve() }
      views.set(network, view)
    }
    return view
  }

  /** Tells all workers but one, and resolves when they took note, or can tell heads no longer. */
  async function spread(network: string, news: ToldNews, from?: Channel): Promise<void> {
    const message: ToldMessage = { network, news }
    const now = clock.now()
    const waited: Promise<unknown>[] = []
    let longest = 0
    for (const [worker, answeredAt] of workers) {
      if (worker === from) continue
      // One that is gone tells nobody anything.
      const noted = worker.ask('told.news', message).catch(() => {})
      const left = answeredAt + patienceMs - now
      if (left <= 0) continue
      waited.push(noted)
      longest = Math.max(longest, left)
    }
    if (waited.length === 0) return
    let stop = (): void => {}
    const tooLong = new Promise<void>((resolve) => {
      stop = clock.after(longest, resolve)
    })
    await Promise.race([Promise.all(waited), tooLong])
    stop()
  }

  async function hear(message: unknown, from: Channel): Promise<void> {
    const { network, news } = message as ToldMessage
    const view = viewOf(network)
    const fresh = view.state.merge(news, clock.now())
    if (fresh !== undefined) {
      for (const [number, hash, by] of fresh.heads) {
        for (const listener of view.listeners) listener(number, { hash: hash || undefined, by: by || undefined })
      }
      tell(network, view, fresh, from)
    }
    // A head that another worker told may still be on its way to the rest.
    await view.last
  }

  function lower(message: unknown): void {
    const { network, epoch, head } = message as LowerMessage
    const view = viewOf(network)
    const { state } = view
    // Another worker has seen the same, or more.
    if (epoch !== state.epoch || head >= state.head) return
    state.lower(head)
    tell(network, view, { heads: [], nonces: [] })
  }

  function tell(network: string, view: View, { heads, nonces }: Pick<ToldNews, 'heads' | 'nonces'>, from?: Channel) {
    const { epoch, head } = view.state
    const own = spread(network, { epoch, head, heads, nonces }, from)
    view.last = Promise.all([view.last, own]).then(() => {})
  }

  return {
    view(network) {
      const view = viewOf(network)
      const { state, listeners } = view
      return {
        get head() {
          return state.head
        },
        raise(head, { hash = '', by = '' } = {}) {
          if (state.raise(head, hash, by)) tell(network, view, { heads: [[head, hash, by]], nonces: [] })
        },
        lower(head) {
          state.lower(head)
          tell(network, view, { heads: [], nonces: [] })
        },
        nonceOf: (sender, now) => state.nonceOf(sender, now),
        raiseNonce(sender, nonce, now) {
          if (!state.raiseNonce(sender, nonce, now)) return
          tell(network, view, { heads: [], nonces: [[sender, nonce, nonceForMs]] })
        },
        settled: () => view.last,
        watch: (listener) => void listeners.add(listener),
      }
    },
    serve(channel) {
      /** Takes note of an answer, which gives the worker a lease. */
      const answered = (): void => void workers.set(channel, clock.now())
      channel.serve('told.open', (network) => {
        answered()
        return viewOf(network as string).state.all(clock.now())
      })
      channel.serve('told.raise', (message) => hear(message, channel).finally(answered))
      channel.serve('told.lower', lower)
      channel.serve('told.renew', answered)
      channel.onClose(() => workers.delete(channel))
    },
  }
}
