import { createRpcClient } from '../client.ts'
import type { Clock } from '../clock.ts'
import { systemClock } from '../defaults.ts'
import { RpcError } from '../error.ts'
import type { RpcHandler } from '../handler.ts'

/** The used part of the class `JsonRpcApiProvider` of ethers 6. */
export type EthersProviderClass<P, N = unknown, O extends object = object> = abstract new (
  network?: N,
  options?: O,
) => P

export interface EthersProviderOptions<N = unknown, O extends object = object> {
  /** The network; with it ethers need not ask for one. */
  readonly network?: N
  /** The options of ethers' own class, such as `staticNetwork`, `cacheTimeout` and `pollingInterval`. */
  readonly options?: O
  /** Time that a call may take, in ms. Default 30,000. */
  readonly timeoutMs?: number
  readonly clock?: Clock
}

/** A call of ethers, with its number. */
interface EthersPayload {
  readonly id: number
  readonly method: string
  readonly params: unknown
}
type EthersAnswer = { readonly id: number } & (
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
)

interface EthersBase {
  _start(): void | Promise<void>
  _getSubscriber(subscription: unknown): object
  send(method: string, params: unknown): Promise<unknown>
}

/**
 * Makes a provider of ethers whose calls go through `handler`: `createEthersProvider(JsonRpcApiProvider, handler)`. An error
 * answer keeps its code and data, so that ethers decodes reverts. If no peer answered, the call rejects with the `RpcError`.
 */
export function createEthersProvider<P, N, O extends object>(
  base: EthersProviderClass<P, N, O>,
  handler: RpcHandler,
  options: EthersProviderOptions<N, O> = {},
): P {
  const { clock = systemClock, timeoutMs = 30_000 } = options
  const Base = base as unknown as new (network: unknown, options: object) => EthersBase

  const client = createRpcClient(handler, { clock, timeoutMs })

  async function answer({ id, method, params }: EthersPayload): Promise<EthersAnswer> {
    try {
      return { id, result: await client.requestUnchecked(method, params ?? []) }
    } catch (thrown) {
      if (!(thrown instanceof RpcError) || thrown.code !== 'rpc') throw thrown
      const { code, message, data } = thrown.rpc!
      return { id, error: data === undefined ? { code, message } : { code, message, data } }
    }
  }

  class HandlerProvider extends Base {
    /** Takes one call or, if ethers makes batches, several. */
    _send(payload: EthersPayload | readonly EthersPayload[]): Promise<EthersAnswer[]> {
      return Promise.all(
        (Array.isArray(payload) ? (payload as readonly EthersPayload[]) : [payload as EthersPayload]).map(answer),
      )
    }

    override async send(method: string, params: unknown): Promise<unknown> {
      // Ethers asks for the network at the first call.
      // oxlint-disable-next-line eslint/no-underscore-dangle -- ethers' name
      await this._start()
      return super.send(method, params)
    }

    override _getSubscriber(subscription: unknown): object {
      // oxlint-disable-next-line eslint/no-underscore-dangle -- ethers' name
      const subscriber = super._getSubscriber(subscription)
      const { pollingInterval } = (options.options ?? {}) as { readonly pollingInterval?: number }
      return pollingInterval !== undefined && 'pollingInterval' in subscriber
        ? Object.assign(subscriber, { pollingInterval })
        : subscriber
    }
  }

  // No batches: in one of ethers', a call without an answer would fail the others.
  return new HandlerProvider(options.network, { ...options.options, batchMaxCount: 1 }) as P
}
