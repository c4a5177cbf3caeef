import type { Log } from '../telemetry/log.ts'

/** Whether blocks of a chain that were final have been replaced, as far as this process knows. */
export interface RewrittenChain {
  readonly isRewritten: boolean
  /** Takes note that they have been: by a caller's command, or as its nodes tell by themselves, of which the log has one line. */
  note(why: 'command' | 'nodes'): void
}

/** The chains whose final blocks have been replaced. They stay while networks come and go: others may keep answers about those blocks. */
export interface RewrittenChains {
  /** `key`: the `chainKey` of the network. */
  of(network: string, key: string): RewrittenChain
}

const mostChains = 1_000

/** `isShared`: whether answers are kept in `cache.redis`, too. */
export function createRewrittenChains(log: Pick<Log, 'warn'>, isShared: boolean): RewrittenChains {
  const advice = isShared ? '; cache.redis is not used for it until a restart: empty it before' : ''
  const keys = new Set<string>()
  return {
    of: (network, key) => ({
      get isRewritten() {
        return keys.has(key)
      },
      note(why) {
        if (keys.has(key)) return
        if (keys.size >= mostChains) keys.delete(keys.keys().next().value!)
        keys.add(key)
        if (why === 'nodes')
          log.warn({ network }, `final blocks of the chain were replaced: its answers are forgotten${advice}`)
      },
    }),
  }
}
