import {
  type CallContext,
  type Clock,
  createContext,
  type RpcContext,
  RpcError,
  type RpcErrorObject,
  type RpcRequest,
  type RpcSink,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { attemptMs, backOffMs, pause, untilCancelled } from './ask-once.ts'
import type { Ask } from './chain-source.ts'
import { createPatience } from './patience.ts'

/** Options of {@link createRelay}. */
export interface RelayOptions {
  /** Opens subscriptions of nodes. It chooses the node: after a loss, another one. */
  readonly ask: Ask
  readonly clock: Clock
  /** The call that subscribes. */
  readonly request: RpcRequest
  /** The longest time without a node, in ms, after which the sinks end. Default 60,000. */
  readonly patienceMs?: number
  /** Called when nothing is open any more. */
  readonly onIdle?: (() => void) | undefined
}

/**
 * One subscription of a node for any number of sinks. It moves to another node when it is lost; what comes meanwhile is missed, and nobody
 * is told. It is open only while there are sinks.
 */
export interface Relay {
  /**
   * Resolves when a node has taken the subscription, or with the refusal where none takes it. Whoever was told so joins within 10 s.
   * @throws RpcError as the handler rejects
   */
  ready(context: RpcContext): Promise<RpcErrorObject | undefined>
  /** Passes on each event from now on; opens the subscription if need be. Returns a function that leaves. */
  join(sink: RpcSink): () => void
  readonly size: number
  /** Ends all sinks with `why`. */
  close(why: RpcError): void
}

/** Time within which somebody has to join who was told that the relay is ready, in ms. */
const joinWithinMs = 10_000

/** One time of being open, from the first that wants it to the last. */
interface Run {
  readonly context: CallContext
  readonly opened: Promise<RpcErrorObject | undefined>
  /** Ends the subscription of the node. */
  leave: () => void
}

/** Creates a relay. Nothing is asked before the first call of `ready` or `join`. */
export function createRelay(options: RelayOptions): Relay {
  const { ask, clock, request, patienceMs = 60_000, onIdle } = options
  const sinks = new Set<{ readonly sink: RpcSink }>()
  let run: Run | undefined
  let stopWaiting = (): void => {}

  function start(): Run {
    const context = createContext({ clock, timeoutMs: Number.POSITIVE_INFINITY })
    let begin = (): void => {}
    const begun = new Promise<void>((resolve) => (begin = resolve))
    const own: Run = { context, opened: begun.then(() => open(own)), leave() {} }
    run = own
    begin()
    own.opened.then(
      (refusal) => {
        if (run !== own) return
        if (refusal === undefined) expectSomebody()
        else stop(new RpcError('rpc', refusal.message, { rpc: refusal }))
      },
      (thrown: unknown) => {
        if (run === own) stop(toRpcError(thrown, 'unavailable', 'no node takes the subscription'))
      },
    )
    return own
  }

  /** Opens the subscription at a node; gives its refusal. */
  async function open(own: Run, deadline = clock.now() + attemptMs): Promise<RpcErrorObject | undefined> {
    const { context, release } = own.context.fork({ deadline })
    try {
      const response = await ask(request, context)
      if (response.error !== undefined) return response.error
      const { subscription } = response
      if (subscription === undefined) throw new RpcError('invalid_response', 'the node gave an id, but pushes nothing')
      let isOver = run !== own
      let leave = (): void => {}
      leave = subscription.open({
        event(method, result) {
          if (isOver) return true
          const present = [...sinks]
          for (const each of present) if (sinks.has(each)) each.sink.event(method, result)
          return true
        },
        gap() {},
        end() {
          if (isOver) return
          isOver = true
          leave()
          own.leave = () => {}
          if (run === own) void move(own)
        },
      })
      // It may have ended while it was opened.
      if (isOver) leave()
      else {
        own.leave = () => {
          isOver = true
          leave()
        }
      }
      return undefined
    } finally {
      release()
    }
  }

  /** Opens it anew until a node takes it. */
  async function move(own: Run): Promise<void> {
    const patience = createPatience(patienceMs, clock)
    for (let attempt = 2; run === own; attempt++) {
      try {
        if ((await open(own, patience.attempt())) === undefined) return
      } catch {
        // The next attempt may reach another node.
      }
      if (!patience.mayWait(backOffMs(attempt))) {
        if (run === own) stop(new RpcError('unavailable', 'no node takes the subscription any more'))
        return
      }
      await pause(backOffMs(attempt), clock, own.context)
    }
  }

  /** Closes what is open; `why` ends the sinks that are left. */
  function stop(why: RpcError): void {
    stopWaiting()
    const own = run
    run = undefined
    const left = [...sinks]
    sinks.clear()
    own?.leave()
    own?.context.cancel(why)
    if (own !== undefined) onIdle?.()
    for (const { sink } of left) sink.end(why)
  }

  const stopUnwanted = (): void => {
    if (sinks.size === 0) stop(new RpcError('aborted', 'nobody wants the subscription'))
  }

  /** Whoever was told that it is open joins soon, or has left meanwhile. */
  function expectSomebody(): void {
    stopWaiting()
    if (sinks.size === 0) stopWaiting = clock.after(joinWithinMs, stopUnwanted)
  }

  return {
    async ready(context) {
      const own = run ?? start()
      const refusal = await untilCancelled(own.opened, context)
      if (run === own) expectSomebody()
      return refusal
    },
    join(sink) {
      const own = { sink }
      sinks.add(own)
      stopWaiting()
      if (run === undefined) start()
      return () => {
        if (sinks.delete(own)) stopUnwanted()
      }
    },
    get size() {
      return sinks.size
    },
    close: stop,
  }
}
