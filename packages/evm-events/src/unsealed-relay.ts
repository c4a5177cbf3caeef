import {
  type Clock,
  createContext,
  type RawJson,
  rawJsonFromText,
  RpcError,
  type RpcSink,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import type { Ask } from './chain-source.ts'
import { createRelay, type Relay, type RelayOptions } from './relay.ts'
import { mostMissed, unsealedSince, type UnsealedArguments } from './unsealed-missed.ts'
import { nameOf, namesOrder, partsOrder, type UnsealedKind, type UnsealedOrder } from './unsealed-order.ts'

export interface UnsealedRelayOptions extends Pick<RelayOptions, 'onIdle'> {
  readonly kind: UnsealedKind
  /** The params after the kind. */
  readonly rest: UnsealedArguments
  /** Asked for the subscription, and for what was missed while it moved. It chooses the node. */
  readonly ask: Ask
  readonly clock: Clock
  /** The height of the last sealed block, as far as it is known. */
  readonly head: () => number | undefined
}

/** A relay of events of blocks that are not sealed: each one is told once, whichever node tells it. */
export interface UnsealedRelay extends Pick<Relay, 'ready' | 'close'> {
  /** Passes on each event from now on. `from`: the height of a block whose events come first, as far as they can be had. */
  join(sink: RpcSink, from?: number): () => void
}

/** Time without a node after which such a subscription ends, in ms: its events are of use for a moment. */
const patienceMs = 10_000
/** Time within which what was missed must come, in ms. */
const missedMs = 5_000
/** Events that wait for what was missed, and their bytes. */
const mostHeld = 10_000
const mostHeldBytes = 8_388_608
/** Names of past events that are known to a subscriber, and bytes of such events that are told in one turn of the event loop. */
const mostPast = 16_384
const bytesATurn = 1_048_576
const eventName = 'eth_subscription'

/** Creates the relay. What came while it moved from node to node is asked for, as far as nodes have it; the rest is missed. */
export function createUnsealedRelay({ kind, rest, ask, clock, head, onIdle }: UnsealedRelayOptions): UnsealedRelay {
  const order = kind === 'newFlashblocks' ? partsOrder(head) : namesOrder(kind, head)
  let isFirst = true
  /** The height of the block that was in progress when the first node took the subscription, as far as it is known. */
  let begun: number | undefined

  function noteBegin(): void {
    const sealed = head()
    if (sealed !== undefined) begun = sealed + 1
  }

  async function since(from: number): Promise<readonly RawJson[]> {
    const context = createContext({ clock, timeoutMs: missedMs })
    try {
      return await unsealedSince(kind, rest, from, ask, context)
    } finally {
      context.release()
    }
  }

  async function missed(): Promise<readonly RawJson[]> {
    const at = head()
    if (begun === undefined || at === undefined) return []
    return since(Math.max(begun, order.floor, at - mostMissed)).catch(() => [])
  }

  const ordered: Ask = async (request, context) => {
    const response = await ask(request, context)
    if (response.error !== undefined || response.subscription === undefined) return response
    const { subscription } = response
    return {
      ...response,
      subscription: {
        id: subscription.id,
        open(sink) {
          const report = (method: string, event: RawJson): boolean => {
            if (begun === undefined) noteBegin()
            return !order.take(event) || sink.event(method, event)
          }
          if (!isFirst) {
            order.moved()
            return afterPast(missed(), { clock, open: (to) => subscription.open(to), sink, report })
          }
          isFirst = false
          noteBegin()
          return subscription.open({ event: report, gap: (gap) => sink.gap(gap), end: (why) => sink.end(why) })
        },
      },
    }
  }

  const params = rawJsonFromText(JSON.stringify([kind, ...rest]))
  const request = { method: 'eth_subscribe', params, notification: false }
  const relay = createRelay({ ask: ordered, clock, request, patienceMs, onIdle })
  return {
    ready: relay.ready,
    close: relay.close,
    join(sink, from) {
      if (from === undefined || kind === 'newFlashblocks') {
        const kept = order.kept(from)
        for (const event of kept ?? []) sink.event(eventName, event)
        return relay.join(kept === undefined ? afterCut(sink, order) : sink)
      }
      const past = createPastNames(head)
      return afterPast(since(from), {
        clock,
        open: relay.join,
        sink,
        report: (method, event) => past.take(() => nameOf(kind, event)) || sink.event(method, event),
        reportPast(method, event) {
          past.add(nameOf(kind, event))
          return sink.event(method, event)
        },
      })
    },
  }
}

/** Leaves out the rest of a block that is too long to be kept. */
function afterCut(sink: RpcSink, { isCut }: Pick<UnsealedOrder, 'isCut'>): RpcSink {
  let hasBegun = false
  return {
    event(method, event) {
      hasBegun ||= !isCut(event)
      return !hasBegun || sink.event(method, event)
    },
    gap: (gap) => sink.gap(gap),
    end: (why) => sink.end(why),
  }
}

/** Names of events that were told of the past. They may come again while their blocks are in progress, and are known for that time. */
function createPastNames(head: () => number | undefined): {
  add(name: string | undefined): void
  /** Whether an event was told; asks for its name only while any is known. */
  take(name: () => string | undefined): boolean
} {
  const names = new Set<string>()
  const last = (head() ?? 0) + 2
  return {
    add(name) {
      if (name !== undefined) names.add(name)
      if (names.size > mostPast) names.delete(names.values().next().value!)
    },
    take(name) {
      if (names.size > 0 && (head() ?? 0) > last) names.clear()
      return names.size > 0 && names.delete(name() ?? '')
    },
  }
}

interface Source {
  readonly clock: Clock
  open(sink: RpcSink): () => void
  readonly sink: RpcSink
  readonly report: RpcSink['event']
  readonly reportPast?: RpcSink['event']
}

/** Opens a source whose events wait until those of the past are told. */
function afterPast(
  past: Promise<readonly RawJson[]>,
  { clock, open, sink, report, reportPast = report }: Source,
): () => void {
  let held: [method: string, event: RawJson][] | undefined = []
  let heldBytes = 0
  let isOver = false
  let leave = (): void => {}
  const end = (why: RpcError | undefined): void => {
    if (isOver) return
    isOver = true
    held = undefined
    leave()
    sink.end(why)
  }
  leave = open({
    event(method, event) {
      if (isOver) return true
      if (held === undefined) return report(method, event)
      heldBytes += event.byteLength
      if (held.push([method, event]) > mostHeld || heldBytes > mostHeldBytes)
        end(new RpcError('overloaded', 'too many events wait for earlier ones'))
      return true
    },
    gap: (gap) => sink.gap(gap),
    end,
  })
  async function begin(): Promise<void> {
    let bytes = 0
    for (const event of await past) {
      if (bytes >= bytesATurn) {
        bytes = 0
        await new Promise<void>((resolve) => clock.after(0, resolve))
      }
      if (isOver) return
      bytes += event.byteLength
      if (!reportPast(eventName, event)) await sink.drained?.()
    }
    const waiting = held ?? []
    held = undefined
    for (const [method, event] of waiting) report(method, event)
  }
  begin().catch((thrown: unknown) => end(toRpcError(thrown, 'unavailable', 'the earlier events could not be read')))
  return () => {
    isOver = true
    held = undefined
    leave()
  }
}
