import type { Clock } from '@wayleave/jsonrpc-core'
import type { ChainView, Endpoint } from '@wayleave/upstream'

/** The heads that upstreams should have announced, by what the others announced. */
export interface OverdueHeads {
  /** Looks at all upstreams, and has those asked that lack a head since the last look. */
  look(): void
  /** Whether an upstream has said nothing for so many ms, although a head of it is overdue. */
  isMute(endpoint: Endpoint, ms: number): boolean
}

interface Overdue {
  readonly endpoint: Endpoint
  /** Since when a head that others have is overdue. */
  since: number | undefined
  /** A height that it lacked at a look, and whether it was asked for it. */
  lacking: { readonly number: number; isAsked: boolean } | undefined
}

/** `endpoints`: one of each name. */
export function createOverdueHeads(view: ChainView, endpoints: readonly Endpoint[], clock: Clock): OverdueHeads {
  const all = new Map(
    endpoints.map((endpoint): [string, Overdue] => [endpoint.name, { endpoint, since: undefined, lacking: undefined }]),
  )
  const heightOf = (endpoint: Endpoint): number => view.of(endpoint).head?.number ?? -1

  return {
    look() {
      const now = clock.now()
      const good = endpoints.filter((endpoint) => view.of(endpoint).health === 'good')
      for (const one of all.values()) {
        const own = heightOf(one.endpoint)
        const others = good.filter(({ name }) => name !== one.endpoint.name).map(heightOf)
        others.sort((a, b) => b - a)
        // An upstream that is ahead of two others may be wrong.
        const due = others[others.length > 1 ? 1 : 0] ?? -1
        one.since = own >= due ? undefined : (one.since ?? now)
        const highest = others[0] ?? -1
        if (own >= highest) one.lacking = undefined
        else if (one.lacking === undefined || own >= one.lacking.number)
          one.lacking = { number: highest, isAsked: false }
        else if (!one.lacking.isAsked) {
          one.lacking.isAsked = true
          view.observed(one.endpoint, { number: highest })
        }
      }
    },
    isMute(endpoint, ms) {
      const now = clock.now()
      const since = all.get(endpoint.name)?.since
      return since !== undefined && now - since >= ms && now - view.of(endpoint).saidAt >= ms
    },
  }
}
