import {
  type Clock,
  createContext,
  defineExtension,
  type RawJson,
  rawJsonFromValue,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcMiddleware,
  type RpcSink,
  type RpcSubscription,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { createHeadsTracker, newestHead } from './heads-tracker.ts'
import { createLogsTracker } from './logs-tracker.ts'
import { createQuestions, type Questions } from './questions.ts'
import { createReceiptsTracker } from './receipts-tracker.ts'
import type { StartPlace, Report, Tracker } from './tracker.ts'

/** Options of {@link continuity}. */
export interface ContinuityOptions {
  /** Asked for what is missing. */
  readonly ask: RpcHandler
  readonly clock: Clock
  /** Reopens subscriptions. A gap of those to heads, logs and receipts is told as soon as they are open again. */
  readonly keep: RpcMiddleware<RpcContext>
}

/** The most events that wait while missing ones are fetched; past it, they are fetched, too. */
const mostHeld = 10_000
/** How long missing events are asked for before a gap is told, in ms. */
const patienceMs = 30_000
/** How long a server may take to go on from a place, before the head is looked up, in ms. */
const probeMs = 1_000

/** The place to go on from, on a request that subscribes. */
const placeOf = defineExtension<() => object | undefined>('place')

/**
 * Makes subscriptions to heads, logs and receipts whole: each event is told once and in order, whatever the connection does. The events that
 * a drop took are fetched; a gap is told only where they cannot be. Other subscriptions are kept as `keep` does.
 */
export function continuity({ ask, clock, keep }: ContinuityOptions): RpcMiddleware<RpcContext> {
  return (next) => {
    const kept = keep(goingOn(next))
    return async (request, context) => {
      const own = createContext({ clock, timeoutMs: Number.POSITIVE_INFINITY })
      const questions = createQuestions(ask, own, clock)
      const { params, from, tracker } = read(request.params, questions, ask, clock)
      const forget = context.onCancel((why) => own.cancel(why))
      const isResumed = from.fromBlock !== undefined || from.fromHash !== undefined
      try {
        // Without a place, the first drop may tell a gap.
        await tracker.begin(from).catch((thrown: unknown) => {
          if (isResumed || context.cancelled !== undefined) throw thrown
        })
        let attempts = 0
        const asked = placeOf.on({ ...request, params: rawJsonFromValue(params) }, () =>
          attempts++ === 0 && !isResumed ? undefined : tracker.place(),
        )
        const response = await kept(asked, context)
        if (response.error !== undefined || response.subscription === undefined) {
          own.release()
          return response
        }
        const { subscription } = response
        const probes = params[0] === 'newHeads'
        const whole = makeWhole({ subscription, tracker, questions, clock, own, probes, isResumed })
        return { ...response, subscription: whole }
      } catch (thrown) {
        own.release()
        throw thrown
      } finally {
        forget()
      }
    }
  }
}

/** Asks the server to go on from the place of the request; one that refuses is asked without it. */
const goingOn: RpcMiddleware<RpcContext> = (next) => async (request, context) => {
  const place = placeOf.of(request)?.()
  if (place === undefined) return next(request, context)
  const [kind] = request.params!.value() as [string]
  const response = await next({ ...request, params: rawJsonFromValue([kind, place]) }, context)
  return response.error === undefined ? response : next(request, context)
}

/** Reads a subscription's params; the place to begin is taken out of them, as only some servers know it. */
function read(
  reported: RawJson | undefined,
  questions: Questions,
  ask: RpcHandler,
  clock: Clock,
): { readonly params: readonly unknown[]; readonly from: StartPlace; readonly tracker: Tracker } {
  const [kind, argument] = reported!.value() as [string, unknown]
  const { fromBlock, fromHash, ...rest } = Object(argument) as StartPlace & { readonly transactionHashes?: string[] }
  const from = { fromBlock, fromHash }
  if (kind === 'newHeads') return { params: [kind], from, tracker: createHeadsTracker(questions) }
  if (kind === 'logs') return { params: [kind, rest], from, tracker: createLogsTracker(questions, ask, clock, rest) }
  const { transactionHashes: wanted } = rest
  const hashes = wanted && wanted.length > 0 ? new Set(wanted.map((hash) => hash.toLowerCase())) : undefined
  const params = hashes === undefined ? [kind] : [kind, rest]
  return { params, from, tracker: createReceiptsTracker(questions, hashes) }
}

interface Parts {
  readonly subscription: RpcSubscription
  readonly tracker: Tracker
  readonly questions: Questions
  readonly clock: Clock
  readonly own: ReturnType<typeof createContext>
  /** Whether the head is looked up where the server is silent after a drop. */
  readonly probes: boolean
  readonly isResumed: boolean
}

function makeWhole({ subscription, tracker, questions, clock, own, probes, isResumed }: Parts): RpcSubscription {
  const name = 'eth_subscription'
  let sink: RpcSink
  let isOver = false
  let isBusy = false
  /** Whether events may be missing at this point: at first, those that came while the subscription was opened. */
  let isBehind = !probes && tracker.last() !== undefined
  let held: RawJson[] = []
  let last: RawJson | undefined
  let progressAt = 0
  let stopProbe = (): void => {}

  function finish(why: RpcError): void {
    isOver = true
    held = []
    stopProbe()
    own.cancel(why)
    own.release()
  }

  const report: Report = async (event) => {
    if (isOver) throw left
    last = event
    progressAt = clock.now()
    if (!sink.event(name, event)) await sink.drained?.()
    if (isOver) throw left
  }

  /** Tells the event at once where nothing waits before it. */
  function receive(event: RawJson): boolean {
    stopProbe()
    if (isOver) return true
    const reported = isBusy || isBehind ? undefined : tracker.take(event)
    if (reported === undefined) {
      hold(event)
      void work()
      return held.length < mostHeld
    }
    let hasRoom = true
    for (const one of reported) {
      last = one
      if (!isOver) hasRoom = sink.event(name, one)
    }
    return hasRoom
  }

  function hold(event: RawJson): void {
    if (held.push(event) <= mostHeld) return
    // They are fetched anew, those of heads up to this one.
    held = probes ? [event] : []
    isBehind = !probes
  }

  function reportGap(reason: string): void {
    const end = tracker.last()
    const after = end && { height: end.number, hash: end.hash }
    tracker.reset()
    isBehind = false
    if (!isOver) sink.gap({ reason, after, last })
  }

  async function work(): Promise<void> {
    if (isBusy) return
    isBusy = true
    try {
      while (own.cancelled === undefined) {
        if (isBehind) {
          isBehind = false
          await fill()
          continue
        }
        const event = held.shift()
        if (event === undefined) break
        const reported = tracker.take(event)
        if (reported === undefined) await fill(event)
        else for (const one of reported) await report(one)
      }
    } catch (thrown) {
      if (!isOver) {
        finish(left)
        sink.end(toRpcError(thrown, 'invalid_response', 'an event could not be read'))
      }
    } finally {
      isBusy = false
    }
  }

  /** Fetches what is missing; where that fails for too long, a gap is told. */
  async function fill(event?: RawJson): Promise<void> {
    progressAt = clock.now()
    for (let waitMs = 100; ; waitMs = Math.min(2_000, 2 * waitMs)) {
      try {
        return await tracker.fill(report, event)
      } catch (thrown) {
        if (isOver) return
        const why = toRpcError(thrown, 'invalid_response', 'the missing events could not be read')
        const isFinal = why.code === 'denied' || why.rpc?.code === -32602
        if (isFinal || clock.now() - progressAt + waitMs > patienceMs) {
          reportGap(why.message)
          if (event !== undefined) held.unshift(event)
          return
        }
      }
      await new Promise<void>((resolve) => {
        const stop = clock.after(waitMs, resolve)
        own.onCancel(() => {
          stop()
          resolve()
        })
      })
    }
  }

  /** Looks up the head, unless the server tells events soon. */
  function probe(): void {
    stopProbe()
    stopProbe = clock.after(probeMs, () => {
      newestHead(questions).then(receive, () => {
        if (!isOver) probe()
      })
    })
  }

  return {
    id: subscription.id,
    open(to) {
      sink = to
      const leave = subscription.open({
        event: (_name, event) => receive(event),
        gap({ reason }) {
          if (isOver) return
          if (tracker.last() === undefined) return reportGap(reason)
          // The chain may have left them, and what took them back is lost; those that stand are fetched.
          held = []
          if (probes) return probe()
          isBehind = true
          void work()
        },
        end(why) {
          if (isOver) return
          finish(left)
          sink.end(why)
        },
      })
      if (isBehind) void work()
      if (isResumed && probes) probe()
      return () => {
        if (isOver) return
        finish(left)
        leave()
      }
    },
  }
}

const left = new RpcError('aborted', 'the subscriber has left')
