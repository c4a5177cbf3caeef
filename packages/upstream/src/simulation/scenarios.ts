import type { Tier } from '../selection/candidate.ts'

/** The behaviour of an upstream at one moment. */
interface Behaviour {
  /** The usual latency times this. */
  readonly slowness: number
  readonly state: 'well' | 'down' | 'behind'
  /** Most calls in a second; beyond them it refuses. */
  readonly mostPerSecond: number
}

/** An upstream, as far as scenarios know it. */
export interface Role {
  readonly tier: Tier
  /** Whether it is the one that the policy asks most while all are well. */
  readonly isFavourite: boolean
}

/** Something that happens to a network's upstreams. */
export interface Scenario {
  readonly name: string
  /** Whether it can happen to these upstreams at all. */
  fits(roles: readonly Role[]): boolean
  /** The behaviour of an upstream at a time, in ms from the beginning. */
  behaviour(role: Role, at: number): Behaviour
}

const well: Behaviour = { slowness: 1, state: 'well', mostPerSecond: Number.POSITIVE_INFINITY }
const down: Behaviour = { ...well, state: 'down' }
/** The middle half of a run, in ms. */
const isMiddle = (at: number): boolean => at >= 7_500 && at < 22_500
const hasOther = (roles: readonly Role[]): boolean => roles.length > 1

function ofFavourite(name: string, then: Behaviour, isThen = isMiddle): Scenario {
  return { name, fits: hasOther, behaviour: ({ isFavourite }, at) => (isFavourite && isThen(at) ? then : well) }
}

/** How long a scenario runs, in ms. */
export const scenarioMs = 30_000

/** All scenarios; the favourite is the upstream that the policy asks most in the first one. */
export const scenarios: readonly Scenario[] = [
  { name: 'all well', fits: () => true, behaviour: () => well },
  ofFavourite('one slow', { ...well, slowness: 25 }),
  ofFavourite('one down', down),
  {
    name: 'all primaries down',
    fits: (roles) => roles.some(({ tier }) => tier === 'fallback'),
    behaviour: ({ tier }, at) => (tier === 'primary' && isMiddle(at) ? down : well),
  },
  ofFavourite('flapping', down, (at) => at % 4_000 >= 2_000),
  ofFavourite('rate-limited', { ...well, mostPerSecond: 10 }),
  ofFavourite('one behind', { ...well, state: 'behind' }),
]
