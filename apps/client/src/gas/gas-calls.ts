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
  localSuggestions,
  type SuggestedGasFees,
} from '@wayleave/gas-fees'
import { createRpcClient, RpcError } from '@wayleave/jsonrpc-core'
import type { GasMethods, GasOptions, GasSetting } from './gas-methods.ts'

/** What `client.gas` does: asks a host of the gas API, or where there is none computes from what the node tells. */
export function createGasCalls(setting: GasSetting): GasMethods {
  return setting.host === undefined ? localCalls(setting) : hostCalls(setting, setting.host)
}

function hostCalls({ handler, chainId, timeoutMs }: GasSetting, host: NonNullable<GasSetting['host']>): GasMethods {
  const gas = createGasClient({ ...host, timeoutMs })
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

function chainIdOf(answer: unknown): string {
  if (typeof answer === 'string' && /^0x[\da-f]{1,64}$/i.test(answer)) return String(BigInt(answer))
  throw new GasFeesError('invalid_response', 'expected a hex number as the answer to eth_chainId')
}

const alike: Partial<Record<RpcError['code'], GasFeesErrorCode>> = {
  timeout: 'timeout',
  aborted: 'aborted',
  invalid_response: 'invalid_response',
  http_status: 'http_status',
}

/** A failure to ask a node, in the words of this API. */
function rethrow(thrown: unknown): never {
  if (!(thrown instanceof RpcError)) throw thrown
  const { code, httpStatus, message, rpc } = thrown
  const isRefused = httpStatus === 401 || httpStatus === 403
  // Such as which network is unknown.
  const words = code === 'http_status' && rpc !== undefined ? `${message}: ${rpc.message}` : message
  throw new GasFeesError(isRefused ? 'unauthorized' : (alike[code] ?? 'connect'), words, { httpStatus, cause: thrown })
}

function localCalls({ handler, timeoutMs }: GasSetting): GasMethods {
  // What a node says now is as new as it gets, however long ago its head was made.
  const openSource = (onFailure?: (why: unknown) => void) =>
    createFeeSource({ handler, timeoutMs, blocksOnDemand: true, onFailure })

  async function read<T>(options: GasOptions | undefined, take: (history: FeeAnswer['history']) => T): Promise<T> {
    let failure: unknown
    await using source = openSource((why) => (failure = why))
    const reading = await unlessAborted(source.current(), options?.signal)
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

/** Each answer of a source; of those that come while nobody reads, the newest. */
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
    const reading = await unlessAborted(source.current(), signal)
    if (reading.state === 'ready') newest ??= reading.answer
    // That no node answers can mend itself; that the chain has no such fees cannot.
    else if (reading.state === 'unsupported') answerOf(reading)
    for (;;) {
      const next = newest
      newest = undefined
      if (next !== undefined) yield next.fees
      if (newest === undefined) await unlessAborted(new Promise<void>((resolve) => (wake = resolve)), signal)
    }
  } finally {
    forget()
  }
}

async function unlessAborted<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  let abort = (): void => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(new GasFeesError('aborted', 'the caller aborted the call', { cause: signal.reason }))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
