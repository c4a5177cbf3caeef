import { type Clock, createContext, RpcError, type RpcErrorCode } from '@wayleave/jsonrpc-core'
import {
  type ChainView,
  type ChainViewOptions,
  createChainView,
  type Endpoint,
  type EndpointView,
  type Position,
  type SettledTag,
} from '@wayleave/upstream'
import type { ViewOpener } from '@wayleave/network'
import type { Channel } from './channel.ts'
import { askFor, type WireQuestion } from './rpc-wire.ts'
import { createSharedQuestions } from './shared-questions.ts'

/** A mirror that a worker opens. */
export interface MirrorRequest {
  readonly mirror: number
  readonly network: string
  readonly chain: string
  /** The names of its endpoints. */
  readonly endpoints: readonly string[]
}

/** A word of a worker about one of its mirrors. */
export interface MirrorWord {
  readonly mirror: number
  readonly endpoint?: string
  readonly tag?: SettledTag | undefined
  readonly number?: number
  readonly code?: RpcErrorCode
}

/** The view of a chain as it is sent: all at first, then what has changed. */
export interface ViewNews {
  readonly mirror: number
  /** Blocks that were served, and are not on the chain of the head. */
  readonly dropped: readonly Position[]
  readonly head: Position | undefined
  /** The JSON text of its header; only with the first news of a head. */
  readonly header: string | undefined
  readonly safe: Position | undefined
  readonly finalized: Position | undefined
  readonly blockTimeMs: number
  /** As {@link ChainView.plausible} when it was told. */
  readonly plausible: number | undefined
  readonly hasStrangers: boolean
  readonly losses: number
  /** By name. `saidAt` is the age in ms of what it told last. */
  readonly endpoints: readonly (readonly [name: string, view: EndpointView])[]
}

/** The views of the primary, which workers mirror. */
export interface ChainViews extends ViewOpener {
  /** Serves a worker's mirrors until its channel closes. */
  serve(channel: Channel): void
}

/** A view of the primary. */
interface Source {
  readonly network: string
  readonly options: ChainViewOptions
  readonly endpoints: ReadonlyMap<string, Endpoint>
  readonly view: ChainView
}

interface Mirror extends MirrorRequest {
  readonly channel: Channel
  source: Source | undefined
  /** The head and the endpoints that the worker knows. */
  head: Position | undefined
  readonly known: Map<string, EndpointView>
}

/** Time for which a probe is shared, and any other question about an upstream, in ms. */
const probeMs = 1_000
const otherMs = 10_000
/** Longest wait for what an endpoint tells first, in ms. */
const knownMs = 4_000

/** Keeps the views of the primary. Each network is followed once, whatever the number of workers. */
export function createChainViews({ clock }: { readonly clock: Clock }): ChainViews {
  /** The newest first. */
  const sources: Source[] = []
  const mirrors = new Map<Channel, Map<number, Mirror>>()
  const questions = createSharedQuestions({ clock })
  const allMirrors = (): readonly Mirror[] => [...mirrors.values()].flatMap((own) => [...own.values()])

  /** Finds the newest view with all endpoints of a mirror, or else the newest of the chain. */
  function sourceFor({ network, chain, endpoints }: MirrorRequest): Source | undefined {
    const alike = sources.filter((each) => each.network === network && each.options.reader.expectedChain === chain)
    return alike.find((each) => endpoints.every((name) => each.endpoints.has(name))) ?? alike[0]
  }

  function attach(mirror: Mirror): void {
    const source = sourceFor(mirror)
    if (source === mirror.source) return
    mirror.source = source
    mirror.known.clear()
    if (source !== undefined) report(mirror, source, [])
  }

  function report(mirror: Mirror, { endpoints, view }: Source, dropped: readonly Position[]): void {
    const now = clock.now()
    const changed = mirror.endpoints.flatMap((name) => {
      const endpoint = endpoints.get(name)
      const present = endpoint && view.of(endpoint)
      if (present === undefined || isSame(mirror.known.get(name), present)) return []
      mirror.known.set(name, present)
      return [[name, { ...present, saidAt: now - present.saidAt }] as const]
    })
    const { head, header, safe, finalized, blockTimeMs, plausible, hasStrangers, losses } = view
    const isNew = head?.hash !== mirror.head?.hash
    if (!isNew && changed.length === 0 && dropped.length === 0) return
    mirror.head = head
    const news: ViewNews = {
      mirror: mirror.mirror,
      dropped,
      head,
      header: isNew ? header?.text() : undefined,
      safe,
      finalized,
      blockTimeMs,
      plausible,
      hasStrangers,
      losses,
      endpoints: changed,
    }
    mirror.channel.report('heads.news', news)
  }

  function open(network: string, options: ChainViewOptions): ChainView {
    let dropped: Position[] = []
    const view = createChainView({
      ...options,
      onJudged() {
        options.onJudged?.()
        const gone = dropped
        dropped = []
        for (const mirror of allMirrors()) if (mirror.source === source) report(mirror, source, gone)
      },
    })
    view.watch(({ kind, at }) => {
      if (kind === 'dropped') dropped.push(at)
    })
    const endpoints = new Map(options.endpoints.map((endpoint) => [endpoint.name, endpoint]))
    const source: Source = { network, options, endpoints, view }
    sources.unshift(source)
    for (const mirror of allMirrors()) attach(mirror)
    const { close } = view
    return Object.assign(view, {
      async close() {
        sources.splice(sources.indexOf(source), 1)
        for (const mirror of allMirrors()) attach(mirror)
        await close()
      },
    })
  }

  function serve(channel: Channel): void {
    const own = new Map<number, Mirror>()
    mirrors.set(channel, own)
    channel.onClose(() => mirrors.delete(channel))

    /** Serves a word about an endpoint; nothing happens while there is no view. */
    const hear = (topic: string, act: (view: ChainView, endpoint: Endpoint, word: MirrorWord) => unknown): void =>
      channel.serve(topic, (body) => {
        const word = body as MirrorWord
        const source = own.get(word.mirror)?.source
        const endpoint = source?.endpoints.get(word.endpoint ?? '')
        return source && endpoint && act(source.view, endpoint, word)
      })

    channel.serve('heads.open', (body) => {
      const request = body as MirrorRequest
      const mirror: Mirror = { ...request, channel, source: undefined, head: undefined, known: new Map() }
      own.set(request.mirror, mirror)
      attach(mirror)
    })
    channel.serve('heads.close', (mirror) => void own.delete(mirror as number))
    channel.serve('heads.wanted', (body) => {
      const { mirror, tag } = body as MirrorWord
      own.get(mirror)?.source?.view.wanted(tag)
    })
    hear('heads.observed', (view, endpoint, { number }) => view.observed(endpoint, { number: number! }))
    hear('heads.failed', (view, endpoint, { code }) =>
      view.failed(endpoint, new RpcError(code!, 'a worker lost its connection')),
    )
    hear('heads.promoted', (view, endpoint) => view.promoted(endpoint))
    hear('heads.look', (view, endpoint) => view.look(endpoint))
    hear('heads.after', (view, endpoint) => view.headAfter(endpoint))
    hear('heads.known', async (view, endpoint) => {
      const context = createContext({ clock, timeoutMs: knownMs })
      await view.known(endpoint, context)
      context.release()
    })
    channel.serve('heads.ask', (body) => {
      const { mirror, endpoint: name, question } = body as MirrorWord & { readonly question: WireQuestion }
      const source = own.get(mirror)?.source
      const endpoint = source?.endpoints.get(name!)
      if (source === undefined || endpoint === undefined) throw new Error('the primary has no such upstream')
      const { method, params } = question
      const { chainId } = source.options.reader
      return questions.ask(
        JSON.stringify([source.network, name, method, params]),
        method === chainId.method ? probeMs : otherMs,
        () => {
          source.options.onAsk?.(endpoint, 'chain', { ...chainId, method })
          return askFor(question, endpoint.handler, clock)
        },
      )
    })
  }

  return { open, serve }
}

function isSame(before: EndpointView | undefined, now: EndpointView): boolean {
  if (before === undefined) return false
  return (Object.keys(now) as (keyof EndpointView)[]).every((name) => {
    const [one, other] = [before[name], now[name]]
    if (typeof one !== 'object' || typeof other !== 'object') return one === other
    return one.hash === other.hash && one.number === other.number
  })
}
