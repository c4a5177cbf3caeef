import type { Endpoint } from '../endpoint.ts'
import { createFairShare, type FairShare } from '../fair-share.ts'
import type { UpstreamHealth } from '../health/upstream-health.ts'
import { createMethodFilter, type MethodRules } from './method-table.ts'
import type { Spend } from './spend.ts'

/** A fallback is asked when no primary can take a call. */
export type Tier = 'primary' | 'fallback'

/** An endpoint as the selection sees it. The endpoints of one upstream share its health and its spend. */
export interface Candidate {
  readonly endpoint: Endpoint
  readonly health: UpstreamHealth
  /** Stands for the node that it reaches: the answers of candidates of one node count once where answers are compared. */
  readonly node: unknown
  /** The slots of its calls in flight. */
  readonly slots: FairShare
  readonly tier: Tier
  /** Its part of the calls among upstreams that are alike good. */
  readonly weight: number
  /** A price of 1 makes it count as twice as slow, one of 2 as three times; 0 where its calls are free. */
  readonly price: number
  /** The names of the groups that it is in. */
  readonly groups: ReadonlySet<string>
  /** Says whether the operator lets it be asked for a method; undefined where for every one. */
  readonly allows: ((method: string) => boolean) | undefined
  /** Whether it is known to have a method: it has answered it, or the operator's list names it. */
  readonly serves: (method: string) => boolean
  readonly spend: Spend | undefined
  /** The operator's reason to leave it alone; undefined where it is in use. Written by the selection alone. */
  cordoned: string | undefined
}

export interface CandidateOptions {
  readonly endpoint: Endpoint
  readonly health: UpstreamHealth
  /** Stands for the node that it reaches. Default: its health, which no other upstream has. */
  readonly node?: unknown
  /** Most calls in flight. */
  readonly slots: number
  /** Default `primary`. */
  readonly tier?: Tier | undefined
  /** Default 1. */
  readonly weight?: number | undefined
  /** Default 0, or 3 where there is a spend: asked when free ones are out or four times as slow. */
  readonly price?: number | undefined
  readonly groups?: readonly string[] | undefined
  readonly methods?: MethodRules | undefined
  readonly spend?: Spend | undefined
}

/** @throws RangeError where a weight or a price is out of range */
export function createCandidate(options: CandidateOptions): Candidate {
  const {
    endpoint,
    health,
    node = health,
    slots,
    tier = 'primary',
    weight = 1,
    groups = [],
    methods = {},
    spend,
  } = options
  const { price = spend === undefined ? 0 : 3 } = options
  const { name } = endpoint
  if (!(weight > 0 && weight < Number.POSITIVE_INFINITY)) {
    throw new RangeError(
      `the weight of ${name} must be a number above 0, but is ${weight}: cordon it to leave it alone`,
    )
  }
  if (!(price >= 0 && price < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`the price of ${name} must be a number from 0 up, but is ${price}`)
  }
  // A prefix says what may be asked, not what is there.
  const named = new Set(methods.allow?.filter((pattern) => !pattern.endsWith('*')))
  return {
    endpoint,
    health,
    node,
    slots: createFairShare(slots),
    tier,
    weight,
    price,
    groups: new Set(groups),
    allows: createMethodFilter(methods),
    serves: (method) => health.serves(method) || named.has(method),
    spend,
    cordoned: undefined,
  }
}
