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
  /** Called with the tenant of each call that got no slot. */
  readonly onRefused?: (tenant: string | undefined) => void
  /** Called with the time that a call has waited, in ms, whether it got a slot or not, and its context. */
  readonly onWaited?: (ms: number, context: RpcContext) => void
}

/**
 * The slots of a pool's endpoints: a call holds one from its attempt to its answer, or to the end of its stream. Tenants share the slots
 * of an endpoint as a {@link FairShare}; where its answers are long, a tenant's call counts as several. Where no endpoint has a free
 * one, calls wait in one queue by tenant, and the tenants take turns.
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
  /** Whether it is a read: some slots are kept for writes, and for the host's own calls, which have no tenant. */
  readonly repeatable: boolean
}

/** One call's place at an endpoint. */
export interface Slot {
  readonly candidate: Candidate
  /** The tenant that the slot is counted for. */
  readonly tenant: string | undefined
  /** Slots that it counts as. */
  readonly amount: number
}

/** One part in so many of an endpoint's slots is kept for writes, and as many again for the host's own calls. */
const keptPart = 40
/** A call counts as one part in so many at most. */
const mostForOnePart = 10
/** Calls that are refused at once, about a millisecond's work. */
const mostExpired = 32
/** Calls of a tenant that are looked at for one that wants a certain endpoint. */
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
  /** The tenant that it was first made for, with its place there, and further ones. */
  readonly tenant: string | undefined
  tenantPlace: Place<Waiting>
  further: { readonly tenant: string | undefined; readonly place: Place<Waiting> }[] | undefined
  readonly settle: (outcome: Slot | RpcError) => void
}

export function createCallSlots(options: CallSlotsOptions): CallSlots {
  const { clock, perEndpoint = 160, maxWaiting = 10_000, onRefused, onWaited } = options
  const maxWaitMs = (): number => options.maxWaitMs ?? 5_000
  const kept = Math.floor(perEndpoint / keptPart)
  const mostForOne = Math.max(1, Math.floor(perEndpoint / mostForOnePart))
  /** The tenants with waiting calls, the next in turn first. A call stands in each tenant that it is made for. */
  const tenants = new Map<string | undefined, Line<Waiting>>()
  /** All calls that wait, the longest first. */
  const all = createLine<Waiting>()
  let waiting = 0
  const sizes = createAnswerSizes()
  let stopExpiring: (() => void) | undefined

  /** Slots that a call of a tenant leaves free. */
  function reserveOf(tenant: string | undefined, repeatable: boolean): number {
    if (tenant === undefined) return 0
    return repeatable ? 2 * kept : kept
  }

  function take(wanted: readonly Candidate[], ask: SlotRequest): Slot | undefined {
    const { tenant } = ask.context
    const reserve = reserveOf(tenant, ask.repeatable)
    for (const candidate of wanted) {
      const slot = takeAt(candidate, tenant, reserve, ask.repeatable)
      if (slot !== undefined) return slot
    }
    return undefined
  }

  function takeAt(
    candidate: Candidate,
    tenant: string | undefined,
    reserve: number,
    repeatable: boolean,
  ): Slot | undefined {
    // The answers to writes are short.
    const expected = repeatable ? Math.min(sizes.slots(tenant), mostForOne) : 1
    // However long the answers of a tenant are, it may have one at a time.
    const amount = expected > 1 && candidate.slots.held(tenant) === 0 ? 1 : expected
    return candidate.slots.take(tenant, amount, reserve) ? { candidate, tenant, amount } : undefined
  }

  /** Takes a slot of an endpoint for the first call of a tenant that wants the endpoint and may have one, and settles it. */
  function serveTenant(candidate: Candidate, tenant: string | undefined, calls: Line<Waiting>): boolean {
    let left = mostLookedAt
    /** The least reserve that was too much: more would be, too. */
    let refused = Number.POSITIVE_INFINITY
    for (let place = calls.first; place !== undefined && left-- > 0; place = place.next) {
      const call = place.value
      if (call.reserve >= refused || !call.wanted.includes(candidate)) continue
      const slot = takeAt(candidate, tenant, call.reserve, call.repeatable)
      if (slot !== undefined) {
        call.settle(slot)
        return true
      }
      refused = call.reserve
    }
    return false
  }

  function lineOf(tenant: string | undefined): Line<Waiting> {
    let calls = tenants.get(tenant)
    if (calls === undefined) tenants.set(tenant, (calls = createLine()))
    return calls
  }

  function leaveTenant(tenant: string | undefined, place: Place<Waiting>): void {
    const calls = tenants.get(tenant)!
    calls.leave(place)
    if (calls.isEmpty) tenants.delete(tenant)
  }

  /** Gives a slot of an endpoint to the call whose turn it is; false where none may have one. */
  function serve(candidate: Candidate): boolean {
    for (const [tenant, calls] of tenants) {
      if (!serveTenant(candidate, tenant, calls)) continue
      // The tenant's next turn is the last one.
      if (tenants.size > 1 && tenants.delete(tenant)) tenants.set(tenant, calls)
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
      onRefused?.(call.tenant)
      call.settle(new RpcError('overloaded', 'every endpoint is busy', { delivery: 'not_sent' }))
    }
  }

  function wait(wanted: readonly Candidate[], ask: SlotRequest): Promise<Slot> {
    const { context } = ask
    if (context.cancelled !== undefined) return Promise.reject(context.cancelled)
    if (waiting >= maxWaiting) {
      onRefused?.(context.tenant)
      return Promise.reject(new RpcError('overloaded', 'too many calls wait for an endpoint', { delivery: 'not_sent' }))
    }
    return new Promise((resolve, reject) => {
      const { tenant } = context
      const now = clock.now()
      let isSettled = false
      const call = {
        wanted,
        reserve: reserveOf(tenant, ask.repeatable),
        repeatable: ask.repeatable,
        begunAt: now,
        since: now,
        tenant,
        further: undefined,
        settle,
      } as Waiting
      call.place = all.push(call)
      call.tenantPlace = lineOf(tenant).push(call)
      waiting++
      stopExpiring ??= clock.after(maxWaitMs(), expire)
      const forgetTenants = context.onTenant?.((joined) => {
        const further = (call.further ??= [])
        further.push({ tenant: joined, place: lineOf(joined).push(call) })
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
        leaveTenant(tenant, call.tenantPlace)
        if (call.further !== undefined) for (const each of call.further) leaveTenant(each.tenant, each.place)
        forgetTenants?.()
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
    release({ candidate, tenant, amount }, bytes) {
      candidate.slots.give(tenant, amount)
      if (bytes !== undefined) sizes.note(tenant, bytes)
      if (!all.isEmpty) while (serve(candidate));
    },
  }
}
