import type { Clock } from '@wayleave/jsonrpc-core'
import { type HeadSource, nonceForMs, type ViewStore } from '../rpc/view-store.ts'
import type { Channel } from './channel.ts'
import { createToldState, type ToldNews, type ToldState } from './told-state.ts'

/** What one end sends the other about the view of a network. */
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

/** Longest wait for a worker to take note of a head or a nonce, in ms; see {@link leaseMs}. */
export const patienceMs = 50
/**
 * Time for which a worker may tell heads after a word of the primary, in ms. It is below {@link patienceMs}: whoever did not take note in that time
 * has stopped to tell heads by himself, so that others need not wait for him.
 */
export const leaseMs = 45

/** Keeps what callers were told. News pass to all other workers before whoever told them goes on. */
export function createToldViews({ clock }: { readonly clock: Clock }): ToldViews {
  const views = new Map<string, View>()
  const workers = new Set<Channel>()

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
    const others = [...workers].filter((worker) => worker !== from)
    if (others.length === 0) return
    const message: ToldMessage = { network, news }
    // One that is gone tells nobody anything.
    const noted = Promise.all(others.map((worker) => worker.ask('told.news', message).catch(() => {})))
    let stop = (): void => {}
    const tooLong = new Promise<void>((resolve) => {
      stop = clock.after(patienceMs, resolve)
    })
    await Promise.race([noted, tooLong])
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
    // What another worker has told before may still be on its way to the rest.
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
      channel.serve('told.open', (network) => {
        workers.add(channel)
        return viewOf(network as string).state.all(clock.now())
      })
      channel.serve('told.raise', (message) => hear(message, channel))
      channel.serve('told.lower', lower)
      channel.serve('told.renew', () => {})
      channel.onClose(() => workers.delete(channel))
    },
  }
}
