import { type Clock, RpcError } from '@wayleave/jsonrpc-core'
import { type HeadSource, nonceForMs, type ViewStore } from '../network/view-store.ts'
import type { Channel } from './channel.ts'
import { createToldState, type ToldHead, type ToldNews } from './told-state.ts'
import { leaseMs, type LowerMessage, type ToldMessage } from './told-views.ts'

/** The views of a worker. Each reads from a copy here; what is raised here reaches all other workers before `settled` resolves. */
export interface WorkerViews {
  /** The view of a network; the same one for the same network. */
  view(network: string): Required<ViewStore>
}

/** The lease is renewed in the background once so much of it is over, in ms. */
const renewAfterMs = 20
/** Longest wait for the primary, in ms: then calls that tell a head fail rather than tell one that may go back. */
const answerMs = 1_000
/** Longest wait where it has not answered for that long before, in ms: the time in which a process that was paused reads what has come. */
const silentMs = 50
/** Heads and senders that wait to be told. */
const mostHeads = 128
const mostSenders = 10_000

/**
 * Creates the views of a worker. A worker tells heads and nonces on a lease of {@link leaseMs}: it asks the primary for one when a call needs
 * it, and all that the others were told before is here when the answer comes. So one that was paused finds its lease over.
 */
export function createWorkerViews(channel: Channel, { clock }: { readonly clock: Clock }): WorkerViews {
  const views = new Map<string, WorkerView>()
  let leasedAt = Number.NEGATIVE_INFINITY
  let renewing: Promise<void> | undefined
  /** Questions without an answer yet, and since when there is none. */
  let unanswered = 0
  let silentSince = 0

  /** Asks the primary; its answer proves that all is here that it sent before. */
  async function ask(topic: string, body?: unknown): Promise<unknown> {
    const askedAt = clock.now()
    if (unanswered++ === 0) silentSince = askedAt
    const answer = await channel.ask(topic, body).finally(() => {
      unanswered--
      silentSince = clock.now()
    })
    leasedAt = Math.max(leasedAt, askedAt)
    return answer
  }

  function renew(): Promise<void> {
    renewing ??= ask('told.renew').then(
      () => void (renewing = undefined),
      (thrown: unknown) => {
        renewing = undefined
        throw thrown
      },
    )
    return renewing
  }

  /** Resolves while the lease holds. Undefined: it does. */
  function leased(): Promise<void> | undefined {
    const age = clock.now() - leasedAt
    if (age >= leaseMs) return renew()
    if (age >= renewAfterMs) renew().catch(() => {})
    return undefined
  }

  /** The longest wait for the primary as things are, in ms. */
  function patience(): number {
    return unanswered > 0 && clock.now() - silentSince >= answerMs ? silentMs : answerMs
  }

  function viewOf(network: string): WorkerView {
    let view = views.get(network)
    if (view === undefined) views.set(network, (view = openView(network, { channel, ask, leased, patience, clock })))
    return view
  }

  channel.serve('told.news', (message) => {
    const { network, news } = message as ToldMessage
    views.get(network)?.hear(news)
  })
  return { view: (network) => viewOf(network).store }
}

interface WorkerView {
  readonly store: Required<ViewStore>
  hear(news: ToldNews): void
}

interface ViewParts {
  readonly channel: Channel
  readonly ask: (topic: string, body?: unknown) => Promise<unknown>
  readonly leased: () => Promise<void> | undefined
  readonly patience: () => number
  readonly clock: Clock
}

function openView(network: string, { channel, ask, leased, patience, clock }: ViewParts): WorkerView {
  const state = createToldState()
  const listeners = new Set<(head: number, source: HeadSource) => void>()
  let heads: ToldHead[] = []
  const nonces = new Map<string, number>()
  /** The run that is on its way, and the one that begins after it. */
  let telling: Promise<void> | undefined
  let nextTelling: Promise<void> | undefined
  let opening: Promise<void> | undefined = ask('told.open', network).then((all) => {
    opening = undefined
    hear(all as ToldNews)
  })
  opening.catch(() => {})

  function hear(news: ToldNews): void {
    for (const [number, hash, by] of state.merge(news, clock.now())?.heads ?? []) {
      for (const listener of listeners) listener(number, { hash: hash || undefined, by: by || undefined })
    }
  }

  /** Tells all that is new now; what comes meanwhile is for the next run. */
  async function tell(): Promise<void> {
    const news: ToldNews = {
      epoch: state.epoch,
      head: state.head,
      heads,
      nonces: [...nonces].map(([sender, nonce]) => [sender, nonce, nonceForMs]),
    }
    heads = []
    nonces.clear()
    const message: ToldMessage = { network, news }
    await ask('told.raise', message)
  }

  function wake(): void {
    if (telling === undefined) telling = tell().finally(endRun)
    else if (nextTelling === undefined) nextTelling = telling.then(tell).finally(endRun)
    else return
    // Whoever waits for it is told; a channel that is gone ends the worker.
    ;(nextTelling ?? telling).catch(() => {})
  }

  function endRun(): void {
    telling = nextTelling
    nextTelling = undefined
  }

  /** Waits for all that is under way, and for a lease. */
  async function settle(): Promise<void> {
    await opening
    await (nextTelling ?? telling)
    // One that was asked for before this call may be over when it comes; what was told before this call is here after the second.
    await leased()
    await leased()
  }

  return {
    hear,
    store: {
      get head() {
        return state.head
      },
      raise(head, { hash = '', by = '' } = {}) {
        if (!state.raise(head, hash, by)) return
        heads.push([head, hash, by])
        if (heads.length > mostHeads) heads.shift()
        wake()
      },
      lower(head) {
        // The primary passes it on to all, this one included, unless it knew before.
        const message: LowerMessage = { network, epoch: state.epoch, head }
        state.lower(head)
        channel.tell('told.lower', message)
      },
      nonceOf: (sender, now) => state.nonceOf(sender, now),
      raiseNonce(sender, nonce, now) {
        if (!state.raiseNonce(sender, nonce, now)) return
        nonces.delete(sender)
        if (nonces.size >= mostSenders) nonces.delete(nonces.keys().next().value!)
        nonces.set(sender, nonce)
        wake()
      },
      settled() {
        if ((opening ?? nextTelling ?? telling ?? leased()) === undefined) return done
        return withinTime(settle(), patience(), clock)
      },
      watch: (listener) => void listeners.add(listener),
    },
  }
}

const done = Promise.resolve()

/** Settles as the work does, but rejects after so many ms, and where the primary is gone: heads stand still rather than go back. */
function withinTime(work: Promise<void>, ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const message = 'what other workers told of the chain is not known now; try again'
    const refuse = (): void => reject(new RpcError('unavailable', message, { delivery: 'not_sent' }))
    const stop = clock.after(ms, refuse)
    work.then(resolve, refuse).finally(stop)
  })
}
