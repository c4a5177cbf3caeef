import { createEventStreams, type EventStreams, type EventStreamsOptions } from '@wayleave/evm-events'
import {
  type Clock,
  createContext,
  type RawJson,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcMiddleware,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import type { Position } from '@wayleave/upstream'
import type { FollowedChain } from '../heads/followed-chain.ts'
import { headSource } from './head-source.ts'
import { streamTenant } from '../hints/stream-tenant.ts'
import { withHints } from '../hints/call-hints.ts'

export interface SubscriptionsOptions {
  readonly chain: FollowedChain
  /** The groups whose upstreams may be asked for calls of a tenant; undefined: all may. Default: all may, for every tenant. */
  readonly groupsOf?: ((tenant: string | undefined) => readonly string[] | undefined) | undefined
  /** Makes the reader's options that verify logs and receipts of blocks. Default: they are believed. */
  readonly checkLogs?: ((ask: RpcHandler) => EventStreamsOptions['blockLogs']) | undefined
  /** Called when a subscription of a node is opened for callers, and when it has ended. */
  readonly onRelay?: EventStreamsOptions['onRelay']
  /** Whether any upstream carries subscriptions; read anew each time. */
  readonly canPush: boolean
  readonly clock: Clock
}

/** The stage that makes subscriptions. */
export interface SubscriptionStreams {
  readonly stage: RpcMiddleware<RpcContext>
  /** Ends all of them. */
  close(): void
}

/** The streams of all callers that may be told by the same upstreams. */
interface Channel {
  readonly streams: EventStreams
  /** Subscriptions that are open, and calls for one. */
  users: number
}

/** Time from one word to the view that somebody subscribes to the next, in ms; the view rests 60 s after the last. */
const wantEveryMs = 20_000
/** Longest wait for the view to reach the head, in ms. */
const patienceMs = 2_000

/** Kinds that are made here; the others need an upstream that pushes. */
const madeHere = new Set<unknown>(['newHeads', 'logs', 'transactionReceipts', 'syncing'])

/**
 * Answers `eth_subscribe` from one stream of the chain for each distinct list of groups; the stage below is asked for blocks and logs.
 * Everything rests while nobody subscribes.
 */
export function streamSubscriptions(options: SubscriptionsOptions): SubscriptionStreams {
  const { chain, groupsOf = () => undefined, checkLogs, clock } = options
  const { view, headToPin, reportHead, progress } = chain
  const channels = new Map<string, Channel>()
  let users = 0
  let stopWanting: (() => void) | undefined
  /** The head, as far as it is asked for now. */
  let looking: Promise<Position> | undefined

  function keepWanted(): void {
    view.wanted()
    stopWanting = clock.after(wantEveryMs, keepWanted)
  }

  /** Waits until the view is at the head: a stream that began at an old one would tell all since. */
  async function awake(context: RpcContext): Promise<void> {
    if (looking === undefined) {
      const own = createContext({ clock, timeoutMs: patienceMs })
      looking = headToPin(own).finally(() => {
        own.release()
        looking = undefined
      })
    }
    const { number } = await looking
    await untilReached(number, view, context, clock)
  }

  function enter(channel: Channel): () => void {
    channel.users++
    if (++users === 1) keepWanted()
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      if (--channel.users === 0) {
        for (const [name, one] of channels) if (one === channel) channels.delete(name)
        channel.streams.close(new RpcError('aborted', 'nobody subscribes any more'))
      }
      if (--users > 0) return
      stopWanting?.()
      stopWanting = undefined
    }
  }

  function channelFor(tenant: string | undefined, next: RpcHandler): Channel {
    const groups = groupsOf(tenant)
    const name = groups?.join(' ') ?? ''
    let channel = channels.get(name)
    if (channel === undefined) {
      // Calls of our own may ask the same upstreams, or those of all callers with these groups.
      const isOpen = groups === undefined || name === groupsOf(undefined)?.join(' ')
      const ask = askAs(next, isOpen ? undefined : streamTenant(groups), clock)
      const checked = checkLogs?.(ask)
      const isTrue = checked?.hasTrueHeader
      const passes = (header: RawJson, hash: string): boolean =>
        groups === undefined && (isTrue === undefined || isTrue({ header, hash }))
      const streams = createEventStreams({
        source: headSource(view, { reportHead, passes, clock }),
        ask: checked?.ask ?? ask,
        clock,
        blockLogs: checked,
        onRelay: options.onRelay,
        progress: () => progress(groups),
      })
      channel = { streams, users: 0 }
      channels.set(name, channel)
    }
    return channel
  }

  async function subscribe(next: RpcHandler, ...[request, context]: Parameters<RpcHandler>): Promise<RpcResponse> {
    const [kind] = request.params!.value() as [string]
    if (!options.canPush && !madeHere.has(kind)) {
      return {
        error: { code: -32601, message: `no ${JSON.stringify(kind.slice(0, 64))} subscription in eth namespace` },
      }
    }
    const channel = channelFor(context.tenant, next)
    const leave = enter(channel)
    try {
      if (madeHere.has(kind)) await awake(context)
      const response = await channel.streams.subscribe(request, context)
      if (response.error !== undefined) leave()
      return response.error === undefined ? whileOpen(response, leave) : response
    } catch (thrown) {
      leave()
      throw thrown
    }
  }

  return {
    stage: (next) => (request, context) =>
      request.method === 'eth_subscribe' ? subscribe(next, request, context) : next(request, context),
    close() {
      stopWanting?.()
      for (const { streams } of channels.values()) streams.close(new RpcError('aborted', 'the network is closed'))
      channels.clear()
    },
  }
}

/** Marks questions as those of streams, and asks for `tenant` where they have none. */
function askAs(next: RpcHandler, tenant: string | undefined, clock: Clock): RpcHandler {
  return (request, context) => {
    const own = withHints(request, { isOfStream: true })
    if (tenant === undefined || context.tenant !== undefined) return next(own, context)
    const ofTenant = createContext({ clock, timeoutMs: context.deadline - clock.now(), tenant })
    const forget = context.onCancel((why) => ofTenant.cancel(why))
    return next(own, ofTenant).finally(() => {
      forget()
      ofTenant.release()
    })
  }
}

/** Waits until the view has reached a height, for a moment. */
async function untilReached(
  height: number,
  view: FollowedChain['view'],
  context: RpcContext,
  clock: Clock,
): Promise<void> {
  if ((view.head?.number ?? -1) >= height) return
  await new Promise<void>((resolve, reject) => {
    const end = (settle: () => void): void => {
      stop()
      forget()
      unwatch()
      settle()
    }
    const stop = clock.after(patienceMs, () => end(resolve))
    const unwatch = view.watch(({ at }) => {
      if (at.number >= height) end(resolve)
    })
    let forget = (): void => {}
    forget = context.onCancel((why) => end(() => reject(why)))
  })
}

/** Calls `leave` once the subscription is over. */
function whileOpen(response: Extract<RpcResponse, { readonly error?: undefined }>, leave: () => void): RpcResponse {
  const subscription = response.subscription!
  return {
    ...response,
    subscription: {
      ...subscription,
      open(sink) {
        const end = subscription.open({
          event: (method, result) => sink.event(method, result),
          drained: () => sink.drained?.(),
          gap: (gap) => sink.gap(gap),
          reached: (at) => sink.reached?.(at),
          end(why) {
            leave()
            sink.end(why)
          },
        })
        return () => {
          // The last one to leave closes the streams, which tells whoever is left.
          end()
          leave()
        }
      },
    },
  }
}
