import type { AnswerSource } from '@wayleave/rpc-cache'

/** The upstreams that gave the answers of a network's cache. They stay while the network's configuration changes, as its answers do. */
export interface AnswerSources {
  /** Returns the source of the answers that an upstream gives now. */
  of(endpoint: string): AnswerSource
  /** Drops all answers that an upstream, by its name, has given so far, and those that it gives or that arrive until it is `trust`ed. */
  distrust(endpoint: string): void
  /** Has the answers of an upstream kept again from now on. */
  trust(endpoint: string): void
}

const mostSources = 1_000

export function createAnswerSources(): AnswerSources {
  const present = new Map<string, { isDropped: boolean }>()

  function sourceOf(endpoint: string): { isDropped: boolean } {
    let source = present.get(endpoint)
    if (source !== undefined) return source
    if (present.size >= mostSources) {
      const [oldest, its] = present.entries().next().value!
      its.isDropped = true
      present.delete(oldest)
    }
    present.set(endpoint, (source = { isDropped: false }))
    return source
  }

  return {
    of: sourceOf,
    distrust(endpoint) {
      sourceOf(endpoint).isDropped = true
    },
    trust: (endpoint) => void present.delete(endpoint),
  }
}
