import { type Clock, type RpcContext, RpcError } from '@wayleave/jsonrpc-core'
import { createAnswerSizes } from './answer-sizes.ts'
import { createLine, type Line, type Place } from './line.ts'
import type { Candidate } from './selection/candidate.ts'

export interface CallSlotsOptions {
  readonly clock: Clock
  /** Most calls of one endpoint in flight. Default 160. */
  readonly perEndpoint?: number
  /** Most calls that wait. Default 10,000. */
  readonly maxWaiting?: number
  /** Longest wait, in ms. Read as calls begin to wait, and as they have waited, so that a getter may change it. Default 5,000. */
  readonly maxWaitMs?: number
  /** Called with the lane of each call that got no slot. */
  readonly onRefused?: (lane: string | undefined) => void
  /** Called with the time that a call has waited, in ms, whether it got a slot or not, and its context. */
  readonly onWaited?: (ms: number, context: RpcContext) => void
}

/**
 * The slots of a pool's endpoints: a call holds one from its attempt to its answer, or to the end of its stream. Lanes share the slots
 * of an endpoint as a {@link FairShare}; where its answers are long, a lane's call counts as several. Where no endpoint has a free
 * one, calls wait in one queue by lane, and the lanes take turns.
 */
export interface CallSlots {
  readonly perEndpoint: number
  /** Calls that wait. */
  readonly waiting: number
  /** Takes a slot at the first of `wanted` that has one for this call. */
  take(wanted: readonly Candidate[], ask: SlotRequest): Slot | undefined
  /** Waits for a slot at any of `wanted`. @throws RpcError `overloaded`, or the reason of the call's cancellation */
  wait(wanted: readonly Candidate[], ask: SlotRequest): Promise<Slot>
  /** Gives a slot back, once. `bytes`: the length of the answer, as far as it came; undefined without one. */
  release(slot: Slot, bytes: number | undefined): void
}

/** A call as far as its slot depends on it. */
export interface SlotRequest {
  readonly context: RpcContext
  /** Whether it is a read: some slots are kept for writes, and for the host's own calls, which have no lane. */
  readonly repeatable: boolean
}

/** One call's place at an endpoint. */
export interface Slot {
  readonly candidate: Candidate
  /** The lane that the slot is counted for. */
  readonly lane: string | undefined
  /** Slots that it counts as. */
  readonly amount: number
}

/** One part in so many of an endpoint's slots is kept for writes, and as many again for the host's own calls. */
const keptPart = 40
/** A call counts as one part in so many at most. */
const mostForOnePart = 10
/** Calls that are refused at once, about a millisecond's work. */
const mostExpired = 32
/** Calls of a lane that are looked at for one that wants a certain endpoint. */
const mostLookedAt = 32

/** A call that waits for a slot. */
interface Waiting {
  readonly wanted: readonly Candidate[]
  reserve: number
  readonly repeatable: boolean
  /** When it began to wait, in ms. */
  readonly begunAt: number
  /** When it began to wait, or somebody else joined it, in ms. */
  since: number
  /** Its place among all. */
  place: Place<Waiting>
  /** The lane that it was first made for, with its place there, and further ones. */
  readonly lane: string | undefined
  lanePlace: Place<Waiting>
  further: { readonly lane: string | undefined; readonly place: Place<Waiting> }[] | undefined
  readonly settle: (outcome: Slot | RpcError) => void
}

export function createCallSlots(options: CallSlotsOptions): CallSlots {
  const { clock, perEndpoint = 160, maxWaiting = 10_000, onRefused, onWaited } = options
  const maxWaitMs = (): number => options.maxWaitMs ?? 5_000
  const kept = Math.floor(perEndpoint / keptPart)
  const mostForOne = Math.max(1, Math.floor(perEndpoint / mostForOnePart))
  /** The lanes with waiting calls, the next in turn first. A call stands in each lane that it is made for. */
  const lanes = new Map<string | undefined, Line<Waiting>>()
  /** All calls that wait, the longest first. */
  const all = createLine<Waiting>()
  let waiting = 0
  const sizes = createAnswerSizes()
  let stopExpiring: (() => void) | undefined

  /** Slots that a call of a lane leaves free. */
  function reserveOf(lane: string | undefined, repeatable: boolean): number {
    if (lane === undefined) return 0
    return repeatable ? 2 * kept : kept
  }

  function take(wanted: readonly Candidate[], ask: SlotRequest): Slot | undefined {
    const { lane } = ask.context
    const reserve = reserveOf(lane, ask.repeatable)
    for (const candidate of wanted) {
      const slot = takeAt(candidate, lane, reserve, ask.repeatable)
      if (slot !== undefined) return slot
    }
    return undefined
  }

  function takeAt(
    candidate: Candidate,
    lane: string | undefined,
    reserve: number,
    repeatable: boolean,
  ): Slot | undefined {
    // The answers to writes are short.
    const expected = repeatable ? Math.min(sizes.slots(lane), mostForOne) : 1
    // However long the answers of a lane are, it may have one at a time.
    const amount = expected > 1 && candidate.slots.held(lane) === 0 ? 1 : expected
    return candidate.slots.take(lane, amount, reserve) ? { candidate, lane, amount } : undefined
  }

  /** Takes a slot of an endpoint for the first call of a lane that wants the endpoint and may have one, and settles it. */
  function serveLane(candidate: Candidate, lane: string | undefined, calls: Line<Waiting>): boolean {
    let left = mostLookedAt
    /** The least reserve that was too much: more would be, too. */
    let refused = Number.POSITIVE_INFINITY
    for (let place = calls.first; place !== undefined && left-- > 0; place = place.next) {
      const call = place.value
      if (call.reserve >= refused || !call.wanted.includes(candidate)) continue
      const slot = takeAt(candidate, lane, call.reserve, call.repeatable)
      if (slot !== undefined) {
        call.settle(slot)
        return true
      }
      refused = call.reserve
    }
    return false
  }

  function lineOf(lane: string | undefined): Line<Waiting> {
    let calls = lanes.get(lane)
    if (calls === undefined) lanes.set(lane, (calls = createLine()))
    return calls
  }

  function leaveLane(lane: string | undefined, place: Place<Waiting>): void {
    const calls = lanes.get(lane)!
    calls.leave(place)
    if (calls.isEmpty) lanes.delete(lane)
  }

  /** Gives a slot of an endpoint to the call whose turn it is; false where none may have one. */
  function serve(candidate: Candidate): boolean {
    for (const [lane, calls] of lanes) {
      if (!serveLane(candidate, lane, calls)) continue
      // The lane's next turn is the last one.
      if (lanes.size > 1 && lanes.delete(lane)) lanes.set(lane, calls)
      return true
    }
    return false
  }

  /** Refuses calls that have waited too long: a few at once, as thousands may have come together. */
  function expire(): void {
    stopExpiring = undefined
    for (let refusals = 0; all.first !== undefined; refusals++) {
      const call = all.first.value
      const left = call.since + maxWaitMs() - clock.now()
      if (left > 0 || refusals === mostExpired) {
        stopExpiring = clock.after(Math.max(left, 1), expire)
        return
      }
      onRefused?.(call.lane)
      call.settle(new RpcError('overloaded', 'every endpoint is busy', { delivery: 'not_sent' }))
    }
  }

  function wait(wanted: readonly Candidate[], ask: SlotRequest): Promise<Slot> {
    const { context } = ask
    if (context.cancelled !== undefined) return Promise.reject(context.cancelled)
    if (waiting >= maxWaiting) {
      onRefused?.(context.lane)
      return Promise.reject(new RpcError('overloaded', 'too many calls wait for an endpoint', { delivery: 'not_sent' }))
    }
    return new Promise((resolve, reject) => {
      const { lane } = context
      const now = clock.now()
      let isSettled = false
      const call = {
        wanted,
        reserve: reserveOf(lane, ask.repeatable),
        repeatable: ask.repeatable,
        begunAt: now,
        since: now,
        lane,
        further: undefined,
        settle,
      } as Waiting
      call.place = all.push(call)
      call.lanePlace = lineOf(lane).push(call)
      waiting++
      stopExpiring ??= clock.after(maxWaitMs(), expire)
      const forgetLanes = context.onLane?.((joined) => {
        const further = (call.further ??= [])
        further.push({ lane: joined, place: lineOf(joined).push(call) })
        call.reserve = Math.min(call.reserve, reserveOf(joined, ask.repeatable))
        // A caller that joins waits no shorter than alone.
        all.leave(call.place)
        call.since = clock.now()
        call.place = all.push(call)
      })
      const forget = context.onCancel(settle)

      function settle(outcome: Slot | RpcError): void {
        if (isSettled) return
        isSettled = true
        all.leave(call.place)
        waiting--
        leaveLane(lane, call.lanePlace)
        if (call.further !== undefined) for (const each of call.further) leaveLane(each.lane, each.place)
        forgetLanes?.()
        forget()
        if (all.isEmpty) {
          stopExpiring?.()
          stopExpiring = undefined
        }
        onWaited?.(clock.now() - call.begunAt, context)
        if (outcome instanceof RpcError) reject(outcome)
        else resolve(outcome)
      }
    })
  }

  return {
    perEndpoint,
    get waiting() {
      return waiting
    },
    take,
    wait,
    release({ candidate, lane, amount }, bytes) {
      candidate.slots.give(lane, amount)
      if (bytes !== undefined) sizes.note(lane, bytes)
      if (!all.isEmpty) while (serve(candidate));
    },
  }
}
