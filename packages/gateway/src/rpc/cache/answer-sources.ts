import type { AnswerSource } from '@wayleave/rpc-cache'

/** The upstreams that gave the answers of a network's cache. They stay while the network's configuration changes, as its answers do. */
export interface AnswerSources {
  /** Returns the source of the answers that an upstream gives from now on. */
  of(endpoint: string): AnswerSource
  /** Drops all answers that an upstream, by its name, has given so far. */
  drop(endpoint: string): void
}

const mostSources = 1_000

export function createAnswerSources(): AnswerSources {
  const present = new Map<string, { isDropped: boolean }>()

  function drop(endpoint: string): void {
    const source = present.get(endpoint)
    if (source !== undefined) source.isDropped = true
    present.delete(endpoint)
  }

  return {
    of(endpoint) {
      let source = present.get(endpoint)
      if (source === undefined) {
        if (present.size >= mostSources) drop(present.keys().next().value!)
        present.set(endpoint, (source = { isDropped: false }))
      }
      return source
    },
    drop,
  }
}
