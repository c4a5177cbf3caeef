import type { Clock } from '@wayleave/jsonrpc-core'
import type { ChainView, Endpoint } from '@wayleave/upstream'

/** The heads that upstreams ought to have announced, by what the others tell. */
export interface OwedHeads {
  /** Looks at all upstreams, and has those asked that lack a head since the last look. */
  look(): void
  /** Time for which an upstream has owed a head beyond `told` to its subscribers, in ms; 0 where it owes none. */
  owedMs(endpoint: Endpoint, told: number): number
  /** Whether an upstream has said nothing for so many ms, although it owes a head. */
  isMute(endpoint: Endpoint, ms: number): boolean
}

/** Most heads that are remembered of an upstream. */
const mostDues = 64

interface Dues {
  readonly endpoint: Endpoint
  /** Heights, ascending, and the times at which they became due. */
  readonly dues: { readonly number: number; readonly since: number }[]
  /** A height that it lacked at a look, and whether it was asked for it. */
  lacking: { readonly number: number; isAsked: boolean } | undefined
}

/** `endpoints`: one of each name. */
export function createOwedHeads(view: ChainView, endpoints: readonly Endpoint[], clock: Clock): OwedHeads {
  const all = new Map(
    endpoints.map((endpoint): [string, Dues] => [endpoint.name, { endpoint, dues: [], lacking: undefined }]),
  )
  const heightOf = (endpoint: Endpoint): number => view.of(endpoint).head?.number ?? -1

  function owedMs({ name }: Endpoint, told: number): number {
    const first = all.get(name)?.dues.find(({ number }) => number > told)
    return first === undefined ? 0 : clock.now() - first.since
  }

  return {
    look() {
      const now = clock.now()
      const good = endpoints.filter((endpoint) => view.of(endpoint).standing === 'good')
      for (const one of all.values()) {
        const own = heightOf(one.endpoint)
        const others = good.filter(({ name }) => name !== one.endpoint.name).map(heightOf)
        others.sort((a, b) => b - a)
        // One that is ahead of two others may lie.
        const due = Math.max(own, others[others.length > 1 ? 1 : 0] ?? -1)
        const { dues } = one
        while (dues.length > 0 && dues.at(-1)!.number > due) dues.pop()
        if ((dues.at(-1)?.number ?? -1) < due) dues.push({ number: due, since: now })
        if (dues.length > mostDues) dues.shift()
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
    owedMs,
    isMute(endpoint, ms) {
      const isLate = owedMs(endpoint, heightOf(endpoint)) >= ms
      return isLate && clock.now() - view.of(endpoint).saidAt >= ms
    },
  }
}
