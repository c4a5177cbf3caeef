import {
  baseFeeHistory,
  baseFeePercentile,
  busyThreshold,
  createFeeSource,
  createGasClient,
  type FeeAnswer,
  type FeeReading,
  GasFeesError,
  type GasFeesErrorCode,
  type Gwei,
  localSuggestions,
  type SuggestedGasFees,
} from '@wayleave/gas-fees'
import { createRpcClient, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import type { LazyBearer } from '../credentials/load-bearer.ts'
import { unlessAborted } from '../unless-aborted.ts'
import type { GasHost } from './gas-host.ts'

export interface GasOptions {
  readonly signal?: AbortSignal | undefined
}

/**
 * Gas fees of the client's network in decimal gwei, from the gas API of a gateway (Spec §4.11) or computed here from a node's
 * `eth_feeHistory`. Each method rejects with a `GasFeesError`. The code loads with the first call.
 */
export interface GasMethods {
  /** The fees of the newest block, by urgency. */
  suggested(options?: GasOptions): Promise<SuggestedGasFees>
  /**
   * Yields the suggestion now and one after each block, until the iteration is left or the signal aborts. A slow reader
   * gets the newest.
   */
  watch(options?: GasOptions): AsyncIterableIterator<SuggestedGasFees>
  /** The base fees of the last 500 blocks, oldest first. */
  baseFeeHistory(options?: GasOptions): Promise<readonly Gwei[]>
  /** The median of those base fees. */
  baseFeePercentile(options?: GasOptions): Promise<Gwei>
  /** The base fee above which the network is busy: nine of ten blocks cost less. */
  busyThreshold(options?: GasOptions): Promise<Gwei>
}

export interface GasSetting {
  /** The host of the gas API. Undefined: the fees are computed from a node's answers. */
  readonly host: GasHost | undefined
  /** Present where calls carry a JWT. */
  readonly bearer: LazyBearer | undefined
  readonly handler: RpcHandler
  readonly chainId: number | undefined
  readonly timeoutMs: number
}

/** Creates the methods of `client.gas`, which ask a host of the gas API, or without one compute the fees here. */
export function createGasCalls(setting: GasSetting): GasMethods {
  return setting.host === undefined ? localCalls(setting) : hostCalls(setting, setting.host)
}

function hostCalls(
  { handler, chainId, timeoutMs, bearer }: GasSetting,
  host: NonNullable<GasSetting['host']>,
): GasMethods {
  const gas = createGasClient({ ...host, timeoutMs, fetch: bearer && gasFetch(bearer) })
  const calls = createRpcClient(handler, { timeoutMs })
  let known: number | string | undefined = chainId

  async function chain(options: GasOptions = {}): Promise<number | string> {
    known ??= chainIdOf(await calls.requestUnchecked('eth_chainId', [], options).catch(rethrow))
    return known
  }

  return {
    suggested: async (options) => gas.suggested(await chain(options), options),
    async *watch(options) {
      yield* gas.watch(await chain(options), options)
    },
    baseFeeHistory: async (options) => gas.baseFeeHistory(await chain(options), options),
    baseFeePercentile: async (options) => gas.baseFeePercentile(await chain(options), options),
    busyThreshold: async (options) => gas.busyThreshold(await chain(options), options),
  }
}

/** Makes the `fetch` with a JWT, where one that cannot be had is an error of the gas API. */
function gasFetch(bearer: LazyBearer): typeof globalThis.fetch {
  return async (input, init) => {
    try {
      return await (await bearer.load()).fetch(input, init)
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) throw thrown
      throw new GasFeesError('unauthorized', thrown.message, { cause: thrown.cause })
    }
  }
}

function chainIdOf(answer: unknown): string {
  if (typeof answer === 'string' && /^0x[\da-f]{1,64}$/i.test(answer)) return String(BigInt(answer))
  throw new GasFeesError('invalid_response', 'expected a hex number as the answer to eth_chainId')
}

const sameCodes: Partial<Record<RpcError['code'], GasFeesErrorCode>> = {
  timeout: 'timeout',
  aborted: 'aborted',
  invalid_response: 'invalid_response',
  http_status: 'http_status',
}

/** Rethrows an `RpcError` as a `GasFeesError`. */
function rethrow(thrown: unknown): never {
  if (!(thrown instanceof RpcError)) throw thrown
  const { code, httpStatus, message } = thrown
  const isRefused = httpStatus === 401 || httpStatus === 403
  throw new GasFeesError(isRefused ? 'unauthorized' : (sameCodes[code] ?? 'connect'), message, {
    httpStatus,
    cause: thrown,
  })
}

function localCalls({ handler, timeoutMs }: GasSetting): GasMethods {
  // The node's head is always recent enough, even if its block is old.
  const openSource = (onFailure?: (why: unknown) => void) =>
    createFeeSource({ handler, timeoutMs, blocksOnDemand: true, onFailure })

  async function read<T>(options: GasOptions | undefined, take: (history: FeeAnswer['history']) => T): Promise<T> {
    let failure: unknown
    await using source = openSource((why) => (failure = why))
    const reading = await unlessAborted(source.current(), options?.signal, aborted)
    if (reading.state === 'unavailable' && failure !== undefined) rethrow(failure)
    return take(answerOf(reading).history)
  }

  return {
    suggested: (options) => localSuggestions({ handler, timeoutMs, signal: options?.signal }).catch(rethrow),
    async *watch(options) {
      await using source = openSource()
      yield* newestOf(source, options?.signal)
    },
    baseFeeHistory: (options) => read(options, baseFeeHistory),
    baseFeePercentile: (options) => read(options, baseFeePercentile),
    busyThreshold: (options) => read(options, busyThreshold),
  }
}

function answerOf(reading: FeeReading): FeeAnswer {
  if (reading.state === 'ready') return reading.answer
  const retryAfterMs = reading.state === 'unavailable' ? reading.retryAfterMs : undefined
  throw new GasFeesError(reading.state, reading.reason, { retryAfterMs })
}

/** Yields the answers of a source. While nobody reads, only the newest is kept. */
async function* newestOf(
  source: ReturnType<typeof createFeeSource>,
  signal: AbortSignal | undefined,
): AsyncGenerator<SuggestedGasFees> {
  let newest: FeeAnswer | undefined
  let wake = (): void => {}
  const forget = source.watch((answer) => {
    newest = answer
    wake()
  })
  try {
    const reading = await unlessAborted(source.current(), signal, aborted)
    if (reading.state === 'ready') newest ??= reading.answer
    // A silent node may answer later, but an unsupported chain will not.
    else if (reading.state === 'unsupported') answerOf(reading)
    for (;;) {
      const next = newest
      newest = undefined
      if (next !== undefined) yield next.fees
      if (newest === undefined) await unlessAborted(new Promise<void>((resolve) => (wake = resolve)), signal, aborted)
    }
  } finally {
    forget()
  }
}

const aborted = (cause: unknown): GasFeesError => new GasFeesError('aborted', 'the caller aborted the call', { cause })
