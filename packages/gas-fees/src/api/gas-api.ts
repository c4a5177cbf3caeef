import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import { GasFeesError } from '../error.ts'
import type { FeeView } from '../source/fee-answer.ts'
import type { FeeReading, FeeSource } from '../source/fee-source.ts'
import { type ChainTraits, chainTraitsFrom } from '../totals/chain-traits.ts'
import type { RequestFunction } from '../wallets/suggest-from.ts'
import { blockPricesOf, chainIdOfQuery } from './block-prices.ts'
import { feeEvents } from './fee-events.ts'
import { ageOf, type GasAnswer, type ReadyFees, refuse, seconds } from './gas-answer.ts'
import { totalFeeAnswer } from './total-fee-answer.ts'

/** A request without its transport. The caller was authenticated before, and `/v3/<key>` was cut off. */
export interface GasRequest {
  readonly method: string
  /** Starts with `/`. The query tells the transaction of `totalFee`, and the chain of `blockprices`; otherwise it is ignored. */
  readonly path: string
  /** Names in lower case, as Node's `IncomingMessage.headers`. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Ends a stream, and the questions of a `totalFee`. */
  readonly signal?: AbortSignal | undefined
}

/** Answers every request, without a promise if the answer is in memory. Never throws or rejects. */
export type GasApi<R extends GasRequest = GasRequest> = (request: R) => GasAnswer | Promise<GasAnswer>

/** A known network that has no fees of this kind. */
export interface NoFees {
  /** A sentence for the caller: `'23448594291968334' is no EVM network.` */
  readonly reason: string
}

/** `R`: requests with what the host knows of their callers. */
export interface GasApiOptions<R extends GasRequest = GasRequest> {
  /** Finds the source of a chain id (decimal digits), or the reason why there is none; undefined for an unknown chain id. */
  readonly source: (chainId: string) => FeeSource | NoFees | undefined
  /** Names by chain id, for `/v1/supportedChainNames`. */
  readonly names: Readonly<Record<string, string>>
  /** Calls a node of a chain id for a request, for `totalFee` alone. Left out: there is no such path. */
  readonly request?: ((chainId: string, request: R) => RequestFunction) | undefined
  /** Default: the system clock. */
  readonly clock?: Clock | undefined
  /** The most streams open at once. Default 1,000. */
  readonly maxStreams?: number | undefined
}

const viewPath =
  /^\/networks\/([^/]+)\/(suggestedGasFees|baseFeeHistory|baseFeePercentile|busyThreshold|totalFee)(\/stream)?$/
const json = 'application/json'
/** How long a chain is taken for one that charges for no data before it is asked again, in ms: a node that said so may have erred. */
const noneHoldsMs = 60_000

/** Serves the gas API from sources. Source: Spec §2.10, §4.11. */
export function createGasApi<R extends GasRequest = GasRequest>(options: GasApiOptions<R>): GasApi<R> {
  const { source, names, clock = systemClock, maxStreams = 1_000 } = options
  const supported = JSON.stringify(names)
  const traits = new Map<string, { readonly found: ChainTraits; readonly askedAt: number }>()
  let streams = 0

  function find(request: R, path: string): GasAnswer | Promise<GasAnswer> {
    if (path === '/v1/supportedChainNames') return { status: 200, headers: namesHeaders, body: supported }
    if (path === '/gasprices/blockprices') return blockPrices(request)
    const [, segment = '', view, stream] = viewPath.exec(path) ?? []
    const isNowhere = view === 'totalFee' && options.request === undefined
    if (view === undefined || isNowhere || (stream !== undefined && view !== 'suggestedGasFees')) {
      return refuse(
        404,
        `expected /networks/<chainId>/suggestedGasFees or another path of the gas API, got ${shortened(path)}`,
      )
    }
    const chainId = decoded(segment)
    return readOf(chainId, (read, from) => {
      if (view === 'totalFee') return total(request, chainId, read)
      return stream === undefined ? whole(request, read, view as FeeView) : streamed(request, read, from)
    })
  }

  /** Answers by what is known of a chain, or why nothing is. */
  function readOf(
    chainId: string,
    report: (read: ReadyFees, from: FeeSource) => GasAnswer | Promise<GasAnswer>,
  ): GasAnswer | Promise<GasAnswer> {
    const found = source(chainId)
    if (found === undefined) return refuse(400, `'${shortened(chainId)}' is not a supported chain id.`)
    if ('reason' in found) return refuse(400, found.reason)
    const judge = (read: FeeReading): GasAnswer | Promise<GasAnswer> => {
      if (read.state === 'unsupported') return refuse(400, read.reason)
      if (read.state === 'unavailable') return refuse(503, read.reason, { 'retry-after': seconds(read.retryAfterMs) })
      return report(read, found)
    }
    const reading = found.current()
    return reading instanceof Promise ? reading.then(judge) : judge(reading)
  }

  function blockPrices(request: GasRequest): GasAnswer | Promise<GasAnswer> {
    const chainId = chainIdOfQuery(queryOf(request))
    if (chainId === undefined) return refuse(400, 'expected one chainid, such as /gasprices/blockprices?chainid=137')
    return readOf(chainId, (read) => {
      const { answer, ageMs } = read
      const prices = blockPricesOf(answer, { network: names[chainId] ?? chainId, ageMs })
      if (prices === undefined)
        return refuse(400, 'the fees of this network promise nothing, so that they have no confidences')
      const headers = {
        'content-type': json,
        'cache-control': 'no-store',
        'x-block-number': String(answer.blockNumber),
        ...ageOf(read),
      }
      return { status: 200, headers, body: JSON.stringify(prices) }
    })
  }

  function total(request: R, chainId: string, read: ReadyFees): Promise<GasAnswer> {
    const ask = options.request!(chainId, request)
    return totalFeeAnswer({ query: queryOf(request), read, request: ask, chain: () => traitsOf(chainId, ask) })
  }

  /** Traits never change. Where nodes do not agree, a chain is the rollup that one told: its totals are not too low then. */
  async function traitsOf(chainId: string, request: RequestFunction): Promise<ChainTraits> {
    const known = traits.get(chainId)
    if (known !== undefined && (isRollup(known.found) || clock.now() < known.askedAt + noneHoldsMs)) return known.found
    const askedAt = clock.now()
    const found = await chainTraitsFrom(request)
    if (String(found.chainId) !== chainId) {
      throw new GasFeesError('invalid_response', `expected the chain id ${chainId}, got ${found.chainId}`)
    }
    const meanwhile = traits.get(chainId)?.found
    if (meanwhile !== undefined && isRollup(meanwhile)) return meanwhile
    traits.set(chainId, { found, askedAt })
    return found
  }

  function streamed({ method, signal }: GasRequest, read: ReadyFees, from: FeeSource): GasAnswer {
    const headers = {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      ...ageOf(read),
    }
    if (method === 'HEAD') return { status: 200, headers, body: '' }
    if (streams >= maxStreams) {
      return refuse(503, `${maxStreams} streams are open: ask later, or poll`, { 'retry-after': '60' })
    }
    streams++
    const body = feeEvents({ source: from, first: read.answer, clock, signal, onEnd: () => streams-- })
    return { status: 200, headers, body }
  }

  return (request) => {
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD') {
      return refuse(405, `expected GET or HEAD, got ${shortened(method)}`, { allow: 'GET, HEAD' })
    }
    const forMethod = (answer: GasAnswer): GasAnswer => (method === 'HEAD' ? { ...answer, body: '' } : answer)
    try {
      const answer = find(request, request.path.split('?', 1)[0]!)
      return answer instanceof Promise ? answer.then(forMethod, () => forMethod(failed)) : forMethod(answer)
    } catch {
      return forMethod(failed)
    }
  }
}

function isRollup({ rollup }: ChainTraits): boolean {
  return rollup !== undefined
}

const namesHeaders = { 'content-type': json, 'cache-control': 'private, max-age=3600' }
const failed: GasAnswer = refuse(500, 'internal error')

function whole(request: GasRequest, read: ReadyFees, view: FeeView): GasAnswer {
  const { answer, isStale, nextBlockInMs } = read
  const { body, etag } = answer.print(view)
  const headers = {
    'content-type': json,
    etag,
    'x-block-number': String(answer.blockNumber),
    'cache-control': isStale ? 'private, no-cache' : `private, max-age=${Math.floor(nextBlockInMs / 1_000)}`,
    ...ageOf(read),
  }
  const tags = request.headers['if-none-match']
  if (tags !== undefined && isNamed(etag, String(tags))) return { status: 304, headers, body: '' }
  return { status: 200, headers, body }
}

/** Compares tags weakly, as `If-None-Match` asks for (RFC 9110 §13.1.2). */
function isNamed(etag: string, tags: string): boolean {
  if (tags.length > 4_096) return false
  return tags.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}

function queryOf({ path }: GasRequest): string {
  return path.split('?', 2)[1] ?? ''
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
