import { GasFeesError } from '../error.ts'
import { type FeeFields, fillFees, paysByOffer } from './fill-fees.ts'
import { type RequestFunction, suggestFeesFrom, type WalletFeesOptions } from './suggest-from.ts'

interface Call {
  readonly method: string
  readonly params?: readonly unknown[] | object | undefined
}

/** The part of an EIP-1193 provider that is used. */
export interface FeeProvider {
  request(call: Call): Promise<unknown>
}

const sends = new Set(['eth_sendTransaction', 'eth_signTransaction', 'wallet_sendTransaction'])

/**
 * Wraps an EIP-1193 provider so that its transactions pay what is suggested. `eth_sendTransaction`, `eth_signTransaction` and
 * `wallet_sendTransaction` get the fees that they lack, as hex quantities; other calls and members stay. On a chain without
 * EIP-1559 transactions go out as they are; if a suggestion fails for another reason, the call rejects.
 */
export function withFees<P extends FeeProvider>(provider: P, options: WalletFeesOptions = {}): P {
  const own: RequestFunction = (call) => provider.request(call)
  const { level, suggest = () => suggestFeesFrom(own) } = options

  async function filled(call: Call, params: readonly unknown[]): Promise<Call> {
    const transaction = params[0] as FeeFields
    if (!paysByOffer(transaction) || isComplete(transaction)) return call
    const suggestion = await suggest().catch(unsupportedIsNone)
    if (suggestion === undefined) return call
    const { maxFeePerGas, maxPriorityFeePerGas, ...rest } = fillFees(transaction, suggestion, level)
    const fees = { maxFeePerGas: hex(maxFeePerGas), maxPriorityFeePerGas: hex(maxPriorityFeePerGas) }
    return { ...call, params: [{ ...rest, ...fees }, ...params.slice(1)] }
  }

  const request = async (call: Call, ...more: unknown[]): Promise<unknown> => {
    const { method, params } = call
    const isSend = sends.has(method) && Array.isArray(params) && typeof params[0] === 'object' && params[0] !== null
    const sent = isSend ? await filled(call, params as readonly unknown[]) : call
    return (provider.request as (...args: unknown[]) => Promise<unknown>).call(provider, sent, ...more)
  }
  // The proxy's target is not the provider itself: a frozen one must not change its members.
  return new Proxy(Object.create(provider) as P, {
    get(_, name) {
      if (name === 'request') return request
      const value: unknown = Reflect.get(provider, name, provider)
      return typeof value === 'function' ? value.bind(provider) : value
    },
    set: (_, name, value) => Reflect.set(provider, name, value, provider),
  })
}

function unsupportedIsNone(thrown: unknown): undefined {
  if (!(thrown instanceof GasFeesError && thrown.code === 'unsupported')) throw thrown
}

function isComplete({ maxFeePerGas, maxPriorityFeePerGas }: FeeFields): boolean {
  return maxFeePerGas != null && maxPriorityFeePerGas != null
}

function hex(value: FeeFields['maxFeePerGas']): string {
  return `0x${BigInt(value ?? 0).toString(16)}`
}
