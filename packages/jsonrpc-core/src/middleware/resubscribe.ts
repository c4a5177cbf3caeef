import { type BackoffOptions, createBackoff } from '../backoff.ts'
import { createContext, type RpcContext } from '../context.ts'
import { systemClock } from '../defaults.ts'
import { RpcError, toRpcError } from '../error.ts'
import type { RpcMiddleware } from '../handler.ts'
import { rawJsonFromValue } from '../raw-json.ts'
import type { RpcRequest } from '../request.ts'
import type { RpcResponse } from '../response.ts'
import { endUnopened } from '../server-subscription.ts'
import type { RpcSession, RpcSink, RpcSubscription } from '../session.ts'
import type { RawJson } from '../wire.ts'

export interface ResubscribeOptions extends BackoffOptions {
  /** How long one attempt to subscribe again may take, in ms. Default 10,000. */
  readonly timeoutMs?: number
  /** Refusals in a row after which the subscription ends with the last one. Default 5. */
  readonly maxRefusals?: number
  /**
   * Tells of a call that subscribes whether its gaps are told with the first event after them, or as soon as it is open again, so that
   * the receiver can look for what it missed. Default: with the event.
   */
  readonly gapAt?: (request: RpcRequest) => 'event' | 'reopening'
}

/** The middleware, and a way to end all subscriptions that it keeps. */
export interface Resubscribe extends RpcMiddleware<RpcContext> {
  /** Ends its subscriptions at once, without an error. */
  close(): void
}

/**
 * Keeps subscriptions alive beyond their source. One that ends with an error is opened again, any number of times, under the
 * id that its caller knows; a gap is reported just before the first event that follows. It ends when its reader leaves, when
 * its source ends without an error, when the handler below rejects as `aborted` (it was closed), or when the peer keeps refusing.
 */
export function resubscribe(options: ResubscribeOptions = {}): Resubscribe {
  const kept = new Map<string, KeptSubscription>()
  const middleware: RpcMiddleware<RpcContext> = (next) => async (request, context) => {
    const response = await next(request, context)
    if (response.error !== undefined || response.subscription === undefined) return response
    const source = response.subscription
    let { id } = source
    // A restarted peer may give an id that an older subscription still has here.
    while (kept.has(id)) id += '0'
    const again: Again = async (attempt) => next(request, attempt)
    const isEarly = options.gapAt?.(request) === 'reopening'
    const own = { ...options, isEarly, session: context.session }
    const subscription = keepSubscription(id, source, again, own, () => {
      kept.delete(id)
    })
    kept.set(id, subscription)
    return { ...response, result: id === source.id ? response.result : rawJsonFromValue(id), subscription }
  }
  return Object.assign(middleware, {
    close() {
      for (const subscription of kept.values()) subscription.close()
    },
  })
}

/** Repeats the call that subscribes. */
type Again = (context: RpcContext) => Promise<RpcResponse>

interface KeptSubscription extends RpcSubscription {
  close(): void
}

function keepSubscription(
  id: string,
  first: RpcSubscription,
  again: Again,
  options: ResubscribeOptions & { readonly isEarly: boolean; readonly session: RpcSession | undefined },
  forget: () => void,
): KeptSubscription {
  const { clock = systemClock, timeoutMs = 10_000, maxRefusals = 5, isEarly, session } = options
  const backoff = createBackoff(options)
  let sink: RpcSink | undefined
  let over = false
  let refusals = 0
  let last: RawJson | undefined
  /** The reason why events may be missing before the next one. */
  let lost: string | undefined
  /** Leaves the source, or stops the wait or the attempt for a new one. */
  let leave = (): void => endUnopened(first)

  function finish(): boolean {
    if (over) return false
    over = true
    forget()
    return true
  }

  function follow(source: RpcSubscription): void {
    let ended = false
    leave = () => {}
    backoff.succeeded()
    if (isEarly && lost !== undefined) {
      const reason = lost
      lost = undefined
      sink!.gap({ reason, last })
      // The reader may have left.
      if (over) return endUnopened(source)
    }
    const leaveSource = source.open({
      event(method, result) {
        if (over) return true
        if (lost !== undefined) {
          const reason = lost
          lost = undefined
          sink!.gap({ reason, last, first: result })
        }
        last = result
        // The reader may have left when it learned of the gap.
        return over || sink!.event(method, result)
      },
      gap(gap) {
        if (!over) sink!.gap({ last, ...gap })
      },
      end(why) {
        ended = true
        if (why === undefined) {
          if (finish()) sink!.end()
        } else if (!over) {
          lost ??= why.message
          retryAfter(backoff.failed())
        }
      },
    })
    // The held events may have ended it, or made its reader leave.
    if (over) leaveSource()
    else if (!ended) leave = leaveSource
  }

  function retryAfter(ms: number): void {
    if (ms > 0) leave = clock.after(ms, attempt)
    else attempt()
  }

  function attempt(): void {
    const context = createContext({ clock, timeoutMs, session })
    leave = () => context.cancel(new RpcError('aborted', 'the subscriber has left'))
    again(context)
      .then(judge, (thrown: unknown) => {
        const why = toRpcError(thrown, 'unavailable', 'the handler failed')
        if (why.code === 'denied') refuse(why)
        else if (why.code !== 'aborted') retry(why.retryAfterMs)
        else if (finish()) sink!.end()
      })
      .finally(() => context.release())
  }

  function judge(response: RpcResponse): void {
    const { error } = response
    if (error !== undefined) refuse(new RpcError('rpc', `${error.message} (${error.code})`, { rpc: error }))
    else if (response.subscription === undefined) refuse(new RpcError('unavailable', 'a subscription was expected'))
    else {
      refusals = 0
      follow(response.subscription)
    }
  }

  function refuse(why: RpcError): void {
    if (++refusals < maxRefusals) retry()
    else if (finish()) sink!.end(why)
  }

  /** Retries after `afterMs`, or else after the wait of the backoff. */
  function retry(afterMs = 0): void {
    if (!over) retryAfter(afterMs > 0 ? afterMs : backoff.failed())
  }

  return {
    id,
    open(to) {
      sink = to
      if (over) to.end()
      else follow(first)
      return () => {
        if (finish()) leave()
      }
    },
    close() {
      if (!finish()) return
      leave()
      sink?.end()
    },
  }
}
