import type { Clock } from '@wayleave/jsonrpc-core'
import type { ChainView, Endpoint } from '@wayleave/upstream'

/** The heights of upstreams, as far as they are known: by the questions for their heads, and by answers to callers. */
export interface UpstreamHeights {
  of(endpoint: Endpoint): number | undefined
  /** Whether an upstream told its height within the time of a block: it may have got further since otherwise. */
  isFresh(endpoint: Endpoint): boolean
  /** Takes note of a head that an upstream has answered, here or at another replica. */
  answered(endpoint: Endpoint, number: number): void
  /** The highest block that most upstreams have, two at least: a chain may be faster than the questions for its head. 0: there is none. */
  reached(): number
}

export interface UpstreamHeightsOptions {
  readonly endpoints: readonly Endpoint[]
  readonly view: Pick<ChainView, 'of' | 'observed' | 'blockTimeMs'>
  readonly clock: Clock
}

/** A chain that is faster than this is asked for its head no more often, in ms. */
const leastFreshMs = 500

export function createUpstreamHeights({ endpoints, view, clock }: UpstreamHeightsOptions): UpstreamHeights {
  const names = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]))
  /** The last head that each upstream has answered: it is known sooner than by a question of our own. */
  const answers = new Map<string, { readonly number: number; readonly at: number }>()

  function of({ name }: Endpoint): number | undefined {
    const { head, saidAt } = view.of(names.get(name)!)
    const answer = answers.get(name)
    if (head === undefined || answer === undefined || answer.at < saidAt) return head?.number
    return Math.max(head.number, answer.number)
  }

  return {
    of,
    isFresh({ name }) {
      const { saidAt } = view.of(names.get(name)!)
      const at = Math.max(saidAt, answers.get(name)?.at ?? saidAt)
      return clock.now() - at <= Math.max(view.blockTimeMs, leastFreshMs)
    },
    answered(endpoint, number) {
      answers.set(endpoint.name, { number, at: clock.now() })
      view.observed(names.get(endpoint.name)!, { number })
    },
    reached() {
      const known = endpoints.map((endpoint) => of(endpoint) ?? 0).toSorted((a, b) => b - a)
      return known[Math.max(1, Math.floor(known.length / 2))] ?? 0
    },
  }
}
