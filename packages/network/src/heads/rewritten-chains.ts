import type { Position } from '@wayleave/upstream'
import type { Log } from '@wayleave/telemetry'

/** The final blocks of a chain, as far as this process knows them. */
export interface RewrittenChain {
  /** Whether a caller's command has changed them: answers that other processes keep may be wrong in any way. */
  readonly isRewritten: boolean
  /** A final block by which the chain is known again; undefined: none is known. */
  final: Position | undefined
  /** Names the answers about this chain that replicas share; undefined: it is not known which are. */
  epoch: string | undefined
  /** Notes that final blocks were replaced: by a caller's command, or as the nodes report by themselves, which is logged and counted. */
  note(why: 'command' | 'nodes'): void
}

/** The chains of networks. They stay while networks come and go: others may keep answers about those blocks. */
export interface RewrittenChains {
  /** `key`: the `chainKey` of the network. */
  of(network: string, key: string): RewrittenChain
}

interface Entry {
  isRewritten: boolean
  final: Position | undefined
  epoch: string | undefined
}

const mostChains = 1_000

export function createRewrittenChains(
  { repeats }: Pick<Log, 'repeats'>,
  { chainsReplaced }: { readonly chainsReplaced: (network: string) => { add(): void } },
): RewrittenChains {
  const entries = new Map<string, Entry>()

  function entryOf(key: string): Entry {
    let entry = entries.get(key)
    if (entry !== undefined) return entry
    if (entries.size >= mostChains) entries.delete(entries.keys().next().value!)
    entries.set(key, (entry = { isRewritten: false, final: undefined, epoch: undefined }))
    return entry
  }

  return {
    of: (network, key) => ({
      get isRewritten() {
        return entries.get(key)?.isRewritten === true
      },
      get final() {
        return entries.get(key)?.final
      },
      set final(final) {
        entryOf(key).final = final
      },
      get epoch() {
        return entries.get(key)?.epoch
      },
      set epoch(epoch) {
        entryOf(key).epoch = epoch
      },
      note(why) {
        const entry = entryOf(key)
        entry.final = undefined
        entry.epoch = undefined
        if (why === 'command') entry.isRewritten = true
        else {
          chainsReplaced(network).add()
          // A caller's own command is no news.
          if (entry.isRewritten) return
          repeats.warn(
            ['replaced', network],
            { network },
            'final blocks of the chain were replaced: its answers are forgotten',
          )
        }
      },
    }),
  }
}
