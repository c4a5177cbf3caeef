import type { Clock, RpcRequest } from '@wayleave/jsonrpc-core'
import {
  type ChainView,
  type ChainViewOptions,
  createChainView,
  createProber,
  type Endpoint,
  type HeadReader,
  type Prober,
} from '@wayleave/upstream'
import type { CallPurpose } from './upstream-counts.ts'
import type { ViewOpener } from './view-opener.ts'

/** The questions that the gateway asks the upstreams of a network about themselves. */
export interface OwnQuestions {
  openView(options: ChainViewOptions): ChainView
  readonly prober: Prober
  /** The endpoints, for questions about what they have. */
  readonly examined: readonly Endpoint[]
  /** Called with each question about the head or the chain. */
  readonly onAsk: NonNullable<ChainViewOptions['onAsk']>
  /** Called with each question to `examined`. */
  readonly onExamine: (endpoint: Pick<Endpoint, 'name'>, request: RpcRequest) => void
}

export interface OwnQuestionsOptions {
  readonly network: string
  readonly endpoints: readonly Endpoint[]
  readonly reader: HeadReader
  /** Asks in the place of this process. Default: it asks itself. */
  readonly views?: ViewOpener | undefined
  readonly view: () => ChainView
  /** Counts a question that this process asks. */
  readonly count: (endpoint: string, purpose: CallPurpose, request: RpcRequest) => void
  readonly clock: Clock
}

export function createOwnQuestions(options: OwnQuestionsOptions): OwnQuestions {
  const { network, endpoints, reader, views, view, count, clock } = options
  const ask = views?.ask?.bind(views)
  const examined: readonly Endpoint[] =
    ask === undefined
      ? endpoints
      : endpoints.map((each) => ({ ...each, handler: (request, context) => ask(view(), each, request, context) }))

  function onExamine({ name }: Pick<Endpoint, 'name'>, request: RpcRequest): void {
    // Whoever asks counts.
    if (ask === undefined) count(name, 'probe', request)
  }

  return {
    openView: (wanted) => views?.open(network, wanted) ?? createChainView(wanted),
    examined,
    onAsk: ({ name }, purpose, request) => count(name, purpose === 'chain' ? 'probe' : 'head', request),
    onExamine,
    prober: createProber({
      clock,
      async probe(name, context) {
        onExamine({ name }, reader.chainId)
        await examined.find((endpoint) => endpoint.name === name)!.handler(reader.chainId, context)
      },
    }),
  }
}
