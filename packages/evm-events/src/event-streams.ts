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
import { createUnsealedRelay, type UnsealedRelay } from './unsealed-relay.ts'
import { type WantedEvents, wantedEvents } from './wanted-events.ts'

/** Options of {@link createEventStreams}. */
export interface EventStreamsOptions extends Pick<ResumeOptions, 'maxBlocks'> {
  readonly source: HeadSource
  /** Asked for blocks, logs and receipts, and for subscriptions that only nodes can serve. It chooses the node. */
  readonly ask: Ask
  readonly clock: Clock
  /** How the logs and receipts of blocks are asked for, and verified. Default: by `ask`, and they are believed. */
  readonly blockLogs?:
    | Partial<Pick<BlockLogsOptions, 'ask' | 'elsewhere' | 'verify' | 'hasCompleteBlooms' | 'hasTrueHeader'>>
    | undefined
  /** Gives the progress towards the end of the chain, for `syncing`; undefined where it is there. Default: it always is. */
  readonly progress?: SyncStatusOptions['progress']
  /** The most different subscriptions of nodes that are open at a time, pending transactions aside. Default 64; one more is -32005. */
  readonly maxRelays?: number
  /** The most of them that callers of one tenant have opened. Default 8; one more is -32005. */
  readonly maxTenantRelays?: number
  /** Called when a subscription of a node is opened, pending transactions included, and when it has ended. */
  readonly onRelay?: ((change: 1 | -1) => void) | undefined
}

/** All kinds of `eth_subscribe` over one chain stream. */
export interface EventStreams {
  /** Answers `eth_subscribe` whose params were checked by `evmEvents`, which also gives the subscription its id. */
  readonly subscribe: RpcHandler
  /** Ends all subscriptions with `why`. */
  close(why: RpcError): void
}

type RelayedEvents = Extract<WantedEvents, { readonly kind: 'pending' | 'other' | 'unsealed' }>

/** A subscription of a node, and the tenant of the caller who opened it. */
interface OpenRelay {
  readonly relay: Relay | UnsealedRelay
  readonly tenant: string | undefined
}

/** The most blocks below the head at which a subscription to a block in progress may begin. */
const mostUnsealedBack = 128
/** The longest params of a subscription that is relayed, in characters. */
const longestRelayed = 65_536

/**
 * Creates the streams: `newHeads`, `logs`, `transactionReceipts` and `syncing` are made here, from one chain for all; any other kind is
 * one subscription of a node for all who want the same. Nothing is asked while nobody subscribes.
 */
export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const { source, ask, clock, maxBlocks, maxRelays = 64, maxTenantRelays = 8, onRelay } = options
  const stream = createChainStream({ source, ask, clock })
  const blockLogs = createBlockLogs({ ask, clock, ...options.blockLogs })
  const fanOut = createFanOut({ stream, blockLogs, clock })
  const headOf: ResumeOptions['headOf'] = () => source.head
  const head = (): number | undefined => source.head?.number
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
  /** By their params: those of pending transactions, two at most, and any others. */
  const pending = new Map<string, OpenRelay>()
  const others = new Map<string, OpenRelay>()

  /** The refusal of one more kind for a caller of a tenant. */
  function excess(tenant: string | undefined): RpcResponse | undefined {
    if (others.size >= maxRelays)
      return refusal(-32005, `at most ${maxRelays} different node subscriptions fit a network`)
    const own = [...others.values()].filter((open) => open.tenant === tenant).length
    return own < maxTenantRelays
      ? undefined
      : refusal(-32005, `at most ${maxTenantRelays} different node subscriptions fit a project, end one first`)
  }

  /** The refusal of a place from which no node gives logs; parts of blocks are given as far as they are kept. */
  function placeRefusal({ name, from }: Extract<WantedEvents, { readonly kind: 'unsealed' }>): RpcResponse | undefined {
    const at = head()
    if (from === undefined || at === undefined) return undefined
    const isParts = name === 'newFlashblocks'
    // The head may come late: whoever has all parts of a block asks for the next one.
    if (from > at + (isParts ? 2 : 1))
      return refusal(-32000, `block ${from} is above the head, ${at}: try again when it is there`)
    return isParts || at - from <= mostUnsealedBack
      ? undefined
      : refusal(-32602, `expected at most ${mostUnsealedBack} blocks back from the head, ${at}, got ${at - from}`)
  }

  async function relayed(wanted: RelayedEvents, context: RpcContext): Promise<RpcResponse> {
    const refused = wanted.kind === 'unsealed' ? placeRefusal(wanted) : undefined
    if (refused !== undefined) return refused
    const isPending = wanted.kind === 'pending'
    const params = wanted.kind === 'unsealed' ? JSON.stringify([wanted.name, ...wanted.rest]) : wanted.params
    if (params.length > longestRelayed)
      return refusal(-32602, `expected at most ${longestRelayed} characters of params`)
    const relays = isPending ? pending : others
    let relay = relays.get(params)?.relay
    if (relay === undefined) {
      const tooMany = isPending ? undefined : excess(context.tenant)
      if (tooMany !== undefined) return tooMany
      const request = { method: 'eth_subscribe', params: rawJsonFromText(params), notification: false }
      const onIdle = (): void => {
        if (relays.get(params)?.relay !== own) return
        relays.delete(params)
        onRelay?.(-1)
      }
      const own =
        wanted.kind === 'unsealed'
          ? createUnsealedRelay({ kind: wanted.name, rest: wanted.rest, ask, clock, head, onIdle })
          : createRelay({ ask, clock, request, onIdle })
      relay = own
      relays.set(params, { relay, tenant: context.tenant })
      onRelay?.(1)
    }
    const error = await relay.ready(context)
    if (error !== undefined) return { error }
    return opened(wanted.kind === 'unsealed' ? (sink) => relay.join(sink, wanted.from) : relay.join)
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
          case 'pending':
          case 'other':
          case 'unsealed':
            return await relayed(wanted, context)
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
      sync.close(why)
      for (const { relay } of [...pending.values(), ...others.values()]) relay.close(why)
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
