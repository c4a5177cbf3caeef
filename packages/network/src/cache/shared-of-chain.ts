import { type KeptAnswer, type SharedCache } from '@wayleave/rpc-cache'
import type { RewrittenChain } from '../heads/rewritten-chains.ts'
import type { FinalCheckOptions } from './final-check.ts'
import type { NetworkAnswers } from './shared-answer-cache.ts'

/** The shared answers about one chain: those of another one under the same name are neither given nor mixed with them. */
export interface SharedOfChain {
  readonly cache: SharedCache
  /**
   * Agrees with the other processes on the name of these answers. They keep it beside one of its final blocks: a process whose nodes have that
   * block takes the name over; another one names its own. Never rejects.
   */
  agree(): Promise<void>
}

/** The name of the answers about a chain, with one of its final blocks. */
type Word = readonly [epoch: string, number: number, hash: string]

/** The key of that word. */
const wordKey = 'chain'

/** `isUnsure`: whether the nodes may have another chain by now, so that nothing of theirs is told. */
export function sharedOfChain(
  shared: NetworkAnswers,
  known: RewrittenChain,
  hashAt: FinalCheckOptions['hashAt'],
  isUnsure: () => boolean,
): SharedOfChain {
  const keyOf = (key: string): string => (known.epoch === undefined ? key : `${known.epoch} ${key}`)
  const isOfChain = (kept: KeptAnswer): boolean => (known.epoch !== undefined && !isUnsure()) || isOfNoBlock(kept)

  async function agree(): Promise<void> {
    const { final } = known
    if (final === undefined || known.isRewritten) return
    const reported = wordOf(await shared.read(wordKey))
    if (reported !== undefined && reported[0] !== known.epoch) {
      const hash = await hashAt(reported[1])
      if (hash === undefined || known.final === undefined) return
      if (hash === reported[2]) known.epoch = reported[0]
    }
    if (known.final === undefined) return
    known.epoch ??= final.hash
    if (reported?.[0] === known.epoch && reported[1] >= final.number) return
    const word: Word = [known.epoch, final.number, final.hash]
    const body = JSON.stringify(word)
    shared.set(wordKey, { body, byteLength: body.length, isFinal: true }, Number.POSITIVE_INFINITY)
  }

  return {
    cache: {
      get(key, context) {
        if (known.isRewritten) return undefined
        const asked = shared.get(keyOf(key), context)
        return known.epoch !== undefined ? asked : asked?.then((kept) => (kept && isOfNoBlock(kept) ? kept : undefined))
      },
      set(key, kept, forMs) {
        if (!known.isRewritten && isOfChain(kept)) shared.set(keyOf(key), kept, forMs)
      },
    },
    agree,
  }
}

/** Whether an answer follows from the params alone. */
function isOfNoBlock({ isFinal, height, hash }: KeptAnswer): boolean {
  return isFinal && height === undefined && hash === undefined
}

function wordOf(kept: KeptAnswer | undefined): Word | undefined {
  if (typeof kept?.body !== 'string') return undefined
  try {
    const word = JSON.parse(kept.body) as Word
    return Array.isArray(word) && typeof word[0] === 'string' && Number.isSafeInteger(word[1]) ? word : undefined
  } catch {
    return undefined
  }
}
