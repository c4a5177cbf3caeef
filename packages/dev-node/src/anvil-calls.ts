import { createHttpTransport, createRpcClient, subscribe } from '@wayleave/jsonrpc-core'
import { createWebSocketTransport } from '@wayleave/jsonrpc-core/websocket'

/** A block as anvil shows it, without its transactions. */
export interface AnvilBlock extends Readonly<Record<string, unknown>> {
  readonly hash: string
  readonly parentHash: string
  readonly timestamp: string
}

/** The calls that starting and saving a chain need. Each rejects with an `RpcError`. */
export interface AnvilCalls {
  /** Stops the line that anvil prints for every call, which would cost this process as much as the call. */
  silence(): Promise<void>
  /** Null if there is none; `latest` is always there. */
  block(number: '0x0' | '0x1'): Promise<AnvilBlock | null>
  latest(): Promise<AnvilBlock>
  blockOf(hash: string): Promise<AnvilBlock | null>
  /** Sets the time, in seconds since the Unix epoch; it goes on from there. */
  setTime(seconds: number): Promise<void>
  /** The whole state, as JSON in gzip. */
  dump(): Promise<Uint8Array>
  /** Calls `onHead` after each new block, until the signal aborts or anvil ends. */
  follow(onHead: () => void): Promise<void>
}

/** A state of a million small blocks comes to a third of it. */
const longestAnswer = 500_000_000

/** Asks the anvil at an address, until the signal aborts. */
export function anvilCalls(address: string, signal: AbortSignal): AnvilCalls {
  const client = createRpcClient(createHttpTransport({ url: `http://${address}`, maxResponseBytes: longestAnswer }), {
    timeoutMs: 30_000,
  })
  const ask = <T>(method: string, ...params: readonly unknown[]): Promise<T> =>
    client.requestUnchecked<T>(method, params, { signal })
  return {
    silence: () => ask('anvil_setLoggingEnabled', false),
    block: (number) => ask('eth_getBlockByNumber', number, false),
    latest: () => ask('eth_getBlockByNumber', 'latest', false),
    blockOf: (hash) => ask('eth_getBlockByHash', hash, false),
    setTime: (seconds) => ask('evm_setTime', seconds),
    dump: async () => Buffer.from((await ask<string>('anvil_dumpState')).slice(2), 'hex'),
    async follow(onHead) {
      signal.throwIfAborted()
      const { handler, close } = createWebSocketTransport({
        url: `ws://${address}`,
        subscriptions: { eth_subscribe: { unsubscribe: 'eth_unsubscribe', event: 'eth_subscription' } },
      })
      signal.addEventListener('abort', () => void close(), { once: true })
      await subscribe(handler, 'eth_subscribe', ['newHeads'], { onEvent: onHead, onEnd() {} })
    },
  }
}
