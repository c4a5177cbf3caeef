import {
  type Clock,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcResponse,
  type RpcSink,
  rawJsonFromText,
  rawJsonFromValue,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { type BlockLogsOptions, createBlockLogs } from './block-logs.ts'
import type { Ask, HeadSource } from './chain-source.ts'
import { createChainStream } from './chain-stream.ts'
import { createFanOut } from './fan-out.ts'
import { createRelay, type Relay } from './relay.ts'
import { createResume, type ResumeOptions } from './resume.ts'
import { createSyncStatus, type SyncStatusOptions } from './sync-status.ts'
import { wantedEvents } from './wanted-events.ts'

/** Options of {@link createEventStreams}. */
export interface EventStreamsOptions
  extends Pick<BlockLogsOptions, 'verify' | 'hasCompleteBlooms'>, Pick<ResumeOptions, 'maxBlocks'> {
  readonly source: HeadSource
  /** Asked for blocks, logs and receipts, and for subscriptions that only nodes can serve. It chooses the node. */
  readonly ask: Ask
  readonly clock: Clock
  /** Gives the progress towards the end of the chain, for `syncing`; undefined where it is there. Default: it always is. */
  readonly progress?: SyncStatusOptions['progress']
  /** The most different subscriptions of nodes that are open at a time. Default 64; one more is -32005. */
  readonly maxRelays?: number
}

/** All kinds of `eth_subscribe` over one chain stream. */
export interface EventStreams {
  /** Answers `eth_subscribe` whose params were checked by `evmEvents`, which also gives the subscription its id. */
  readonly subscribe: RpcHandler
  /** Ends all subscriptions with `why`. */
  close(why: RpcError): void
}

/** The longest params of a subscription that is relayed, in bytes. */
const longestRelayed = 65_536

/**
 * Creates the streams: `newHeads`, `logs`, `transactionReceipts` and `syncing` are made here, from one chain for all; any other kind is
 * one subscription of a node for all who want the same. Nothing is asked while nobody subscribes.
 */
export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const { source, ask, clock, verify, hasCompleteBlooms, maxBlocks, maxRelays = 64 } = options
  const stream = createChainStream({ source, ask, clock })
  const blockLogs = createBlockLogs({
    ask,
    clock,
    verify,
    ...(hasCompleteBlooms !== undefined && { hasCompleteBlooms }),
  })
  const fanOut = createFanOut({ stream, blockLogs, clock })
  const headOf: ResumeOptions['headOf'] = () => source.head
  const resume = createResume({
    stream,
    fanOut,
    blockLogs,
    ask,
    headOf,
    clock,
    ...(maxBlocks !== undefined && { maxBlocks }),
  })
  const sync = createSyncStatus({ progress: options.progress ?? (() => undefined), clock })
  const relays = new Map<string, Relay>()

  async function relayed(params: string, context: RpcContext): Promise<RpcResponse> {
    if (params.length > longestRelayed) return refusal(-32602, `expected at most ${longestRelayed} bytes of params`)
    let relay = relays.get(params)
    if (relay === undefined) {
      if (relays.size >= maxRelays)
        return refusal(-32005, `at most ${maxRelays} different node subscriptions fit a network`)
      const request = { method: 'eth_subscribe', params: rawJsonFromText(params), notification: false }
      const own = createRelay({
        ask,
        clock,
        request,
        onIdle: () => void (relays.get(params) === own && relays.delete(params)),
      })
      relay = own
      relays.set(params, relay)
    }
    const error = await relay.ready(context)
    return error === undefined ? opened(relay.join) : { error }
  }

  return {
    async subscribe({ params }, context) {
      const wanted = wantedEvents(params!)
      try {
        switch (wanted.kind) {
          case 'newHeads': {
            const point = wanted.from && (await resume.find(wanted.from, context))
            return opened((sink) => (point === undefined ? fanOut.newHeads(sink) : resume.newHeads(point, sink)))
          }
          case 'logs': {
            const { criteria, from } = wanted
            const point = from && (await resume.find(from, context))
            return opened((sink) =>
              point === undefined ? fanOut.logs(criteria, sink) : resume.logs(criteria, point, sink),
            )
          }
          case 'transactionReceipts':
            return opened((sink) => fanOut.transactionReceipts(wanted.hashes, sink))
          case 'syncing':
            return opened(sync.join)
          case 'other':
            return await relayed(wanted.params, context)
        }
      } catch (thrown) {
        // A place that cannot be resumed from has its answer with it.
        if (thrown instanceof RpcError && thrown.code === 'denied' && thrown.rpc !== undefined)
          return { error: thrown.rpc }
        throw thrown
      }
    },
    close(why) {
      fanOut.close(why)
      for (const relay of relays.values()) relay.close(why)
      stream.close()
    },
  }
}

const id = '0x0'

/** The answer that opens; its id is replaced by the caller's own. */
function opened(join: (sink: RpcSink) => () => void): RpcResponse {
  return {
    result: rawJsonFromValue(id),
    subscription: {
      id,
      open(sink) {
        try {
          return join(sink)
        } catch (thrown) {
          sink.end(toRpcError(thrown, 'overloaded', 'the subscription could not be opened'))
          return () => {}
        }
      },
    },
  }
}

function refusal(code: number, message: string): RpcResponse {
  return { error: { code, message } }
}
