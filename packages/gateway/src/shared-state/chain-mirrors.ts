import { type Clock, type RawJson, rawJsonFromText, type RpcContext, type RpcError } from '@wayleave/jsonrpc-core'
import type {
  ChainView,
  ChainViewOptions,
  Endpoint,
  EndpointView,
  HeadUpdate,
  Position,
  SettledTag,
} from '@wayleave/upstream'
import { hintsOf, type ViewOpener } from '@wayleave/network'
import type { MirrorRequest, MirrorWord, ViewNews } from './chain-views.ts'
import type { Channel } from './channel.ts'
import { remotePending } from './network-questions.ts'
import { askOver } from './rpc-wire.ts'

/** A word that somebody is there holds for so long in the primary, less a little, and is repeated so often, in ms. */
const wantedMs = 55_000
const repeatMs = 10_000
/** Longest wait for the primary, in ms. */
const answerMs = 4_500
/** Time between two looks at an endpoint that is not followed, in ms. */
const lookMs = 1_000
/** Times its measured pace at which a chain can go on, as in the primary's rule. */
const mostSpeed = 2
/** Time between two words that an endpoint has another head, in ms. */
const observedMs = 50

interface Mirror {
  readonly view: ChainView
  readonly id: number
  hear(news: ViewNews): void
}

/** Opens the mirrors of a worker: views of chains that the primary follows. They ask no upstream anything. */
export function createChainMirrors(channel: Channel, { clock }: { readonly clock: Clock }): ViewOpener {
  const mirrors = new Map<number, Mirror>()
  const ids = new WeakMap<ChainView, number>()
  let lastId = 0
  channel.serve('heads.news', (body) => {
    const news = body as ViewNews
    mirrors.get(news.mirror)?.hear(news)
  })
  return {
    open(network, options) {
      const id = ++lastId
      const mirror = openMirror(id, network, options, channel, clock, () => mirrors.delete(id))
      mirrors.set(id, mirror)
      ids.set(mirror.view, id)
      return mirror.view
    },
    askNetwork: (network, groups, request, context) =>
      askOver(
        channel,
        'network.ask',
        { network, groups, tenant: context.tenant, tried: hintsOf(request).excludedUpstreams },
        request,
        context,
        clock,
      ),
    pending: (network) => remotePending(channel, network, clock),
    ask: (view, { name }, request, context) =>
      askOver(channel, 'heads.ask', { mirror: ids.get(view)!, endpoint: name }, request, context, clock),
  }
}

function openMirror(
  id: number,
  network: string,
  options: ChainViewOptions,
  channel: Channel,
  clock: Clock,
  forget: () => void,
): Mirror {
  const names = new Set(options.endpoints.map(({ name }) => name))
  const onDemand = new Set(
    options.endpoints.flatMap((each) => (options.isOnDemand?.(each) === true ? [each.name] : [])),
  )
  const listeners = new Set<(update: HeadUpdate) => void>()
  const endpoints = new Map<string, EndpointView>()
  /** Endpoints whose connection broke, until the primary has looked. */
  const lost = new Map<string, number>()
  /** The times at which it was told something else last, by what. */
  const reportedAt = new Map<string, number>()
  let news: Omit<ViewNews, 'mirror' | 'dropped' | 'endpoints' | 'header'> = {
    head: undefined,
    safe: undefined,
    finalized: undefined,
    blockTimeMs: options.blockTimeMs ?? 2_000,
    plausible: undefined,
    hasStrangers: false,
    losses: 0,
  }
  let heardAt = 0
  let header: { readonly hash: string; readonly raw: RawJson } | undefined
  /** The time at which the primary was told last that somebody is there. */
  let wantedAt = Number.NEGATIVE_INFINITY
  let waking: Promise<unknown> | undefined
  let isClosed = false

  const request: MirrorRequest = { mirror: id, network, chain: options.reader.expectedChain, endpoints: [...names] }
  channel.report('heads.open', request)

  /** Whether the primary is to be told, as it was not within `everyMs`. */
  function isDue(what: string, everyMs: number): boolean {
    const now = clock.now()
    if (now - (reportedAt.get(what) ?? Number.NEGATIVE_INFINITY) < everyMs) return false
    reportedAt.set(what, now)
    return true
  }

  /** Whether the primary follows, as it was told of callers a while ago. */
  const isWanted = (at = wantedAt): boolean => clock.now() - at < wantedMs
  const word = (more: Omit<MirrorWord, 'mirror'>): MirrorWord => ({ mirror: id, ...more })

  /** Asks the primary, and resolves by a deadline whatever comes; undefined where nothing did. */
  function ask(topic: string, more: Omit<MirrorWord, 'mirror'>, context?: RpcContext): Promise<unknown> {
    return new Promise((resolve) => {
      const stop = clock.after(answerMs, () => end(undefined))
      let forgetCancel = (): void => {}
      function end(answer: unknown): void {
        stop()
        forgetCancel()
        resolve(answer)
      }
      forgetCancel = context?.onCancel(() => end(undefined)) ?? forgetCancel
      channel.ask(topic, word(more)).then(end, () => end(undefined))
    })
  }

  function nameOf({ name }: Pick<Endpoint, 'name'>): string {
    if (!names.has(name)) throw new TypeError(`expected an endpoint of the view, got ${name}`)
    return name
  }

  function of(endpoint: Pick<Endpoint, 'name'>): EndpointView {
    const name = nameOf(endpoint)
    const view = endpoints.get(name) ?? unknown
    return lost.has(name) && !view.isLost && view.head !== undefined ? { ...view, isLost: true } : view
  }

  function wanted(tag?: SettledTag): void {
    if (isClosed) return
    if (tag !== undefined && isDue(tag, repeatMs)) channel.report('heads.wanted', word({ tag }))
    const now = clock.now()
    const sinceMs = now - wantedAt
    if (sinceMs < repeatMs) return
    wantedAt = now
    if (sinceMs < wantedMs) return channel.report('heads.wanted', word({}))
    // Heads that were told before the primary rested may be old.
    const own = ask('heads.wanted', {}).finally(() => {
      if (waking === own) waking = undefined
    })
    waking = own
  }

  function promote(endpoint: Pick<Endpoint, 'name'>): string {
    const name = nameOf(endpoint)
    wanted()
    if (isDue(`promoted ${name}`, repeatMs)) channel.report('heads.promoted', word({ endpoint: name }))
    return name
  }

  function isKnown(name: string): boolean {
    if (waking !== undefined || news.head === undefined || lost.has(name)) return false
    const { chain, isLost } = endpoints.get(name) ?? unknown
    const at = onDemand.has(name) ? reportedAt.get(`promoted ${name}`) : wantedAt
    return chain !== 'unknown' && !isLost && isWanted(at ?? Number.NEGATIVE_INFINITY)
  }

  const view: ChainView = {
    get head() {
      return news.head
    },
    get header() {
      return isWanted() && header?.hash === news.head?.hash ? header?.raw : undefined
    },
    get safe() {
      return news.safe
    },
    get finalized() {
      return news.finalized
    },
    get blockTimeMs() {
      return news.blockTimeMs
    },
    get plausible() {
      const { plausible, blockTimeMs } = news
      // Time alone makes no head plausible where an upstream has the served one, as in the primary's rule.
      const answering = [...endpoints.values()].filter(({ health }) => health !== 'silent' && health !== 'unknown')
      if (answering.length > 1 && answering.some(({ health }) => health === 'good')) return plausible
      return plausible && plausible + Math.ceil((mostSpeed * (clock.now() - heardAt)) / blockTimeMs)
    },
    of,
    get losses() {
      return news.losses
    },
    get hasStrangers() {
      return news.hasStrangers
    },
    watch(listener) {
      const own = (update: HeadUpdate): void => listener(update)
      listeners.add(own)
      return () => listeners.delete(own)
    },
    observed(endpoint, { number }) {
      const name = nameOf(endpoint)
      const reported = endpoints.get(name)?.head?.number ?? -1
      if (number <= reported && number >= reported - 1) return
      if (isDue(`observed ${name}`, observedMs)) channel.report('heads.observed', word({ endpoint: name, number }))
    },
    failed(endpoint, { code }: RpcError) {
      if (code !== 'connect' && code !== 'disconnected') return
      const name = nameOf(endpoint)
      lost.set(name, (lost.get(name) ?? 0) + 1)
      void ask('heads.failed', { endpoint: name, code }).then(() => {
        const others = lost.get(name)! - 1
        if (others > 0) lost.set(name, others)
        else lost.delete(name)
      })
    },
    wanted,
    promoted: (endpoint) => void promote(endpoint),
    known(endpoint, context) {
      const name = nameOf(endpoint)
      if (isClosed || isKnown(name)) return undefined
      promote(endpoint)
      return ask('heads.known', { endpoint: name }, context).then(() => {})
    },
    look(endpoint) {
      const name = nameOf(endpoint)
      const isRecent = !isDue(`look ${name}`, lookMs)
      if (isClosed || (isRecent && of(endpoint).chain !== 'unknown')) return undefined
      return ask('heads.look', { endpoint: name }).then(() => {})
    },
    headAfter: (endpoint) => ask('heads.after', { endpoint: promote(endpoint) }) as Promise<Position | undefined>,
    async close() {
      isClosed = true
      listeners.clear()
      channel.report('heads.close', id)
      forget()
    },
  }

  function hear({ dropped, header: text, endpoints: changed, ...others }: ViewNews): void {
    const now = clock.now()
    const before = news.head
    news = others
    heardAt = now
    for (const [name, { saidAt: ageMs, ...rest }] of changed) endpoints.set(name, { ...rest, saidAt: now - ageMs })
    const { head } = others
    if (head !== undefined && text !== undefined) header = { hash: head.hash, raw: rawJsonFromText(text) }
    const updates: HeadUpdate[] = dropped.map((at) => ({ kind: 'dropped', at }))
    if (head !== undefined && (head.hash !== before?.hash || dropped.length > 0)) {
      updates.push({ kind: 'new', at: head, header: text === undefined ? undefined : header?.raw })
    }
    for (const update of updates) for (const listener of listeners) listener(update)
  }

  return { view, id, hear }
}

/** The view of an endpoint of which the primary has told nothing. */
const unknown: EndpointView = {
  head: undefined,
  safe: undefined,
  finalized: undefined,
  chain: 'unknown',
  isThere: false,
  isStrange: false,
  silence: undefined,
  health: 'unknown',
  isLost: false,
  lag: 0,
  saidAt: Number.NEGATIVE_INFINITY,
  blockAgeMs: undefined,
  reason: undefined,
}
