import type { Position } from '@wayleave/jsonrpc-core'
import type { KeptAnswer } from './kept-answer.ts'
import type { CachedQuestion } from './question.ts'

/** The chain at a moment; `head`: undefined also where a question does not depend on it; `reorgs`: how many there had been, `breaks`: how many of them had replaced finalized blocks. */
export interface Moment {
  readonly head: Position | undefined
  readonly finalized: Position | undefined
  readonly reorgs: number
  readonly breaks: number
}

type Place = Pick<KeptAnswer, 'isFinal' | 'height' | 'hash'>

/**
 * Returns the place in the chain that an answer depends on, asked for at `begun` and here at `now`; undefined: none that lets it be kept. What was
 * finalized when it was asked for is final; what was finalized meanwhile may have been answered from a block that was replaced before.
 */
export function placeOf(
  { life }: CachedQuestion,
  positionOf: () => Position | undefined,
  begun: Moment,
  now: Moment,
): Place | undefined {
  if (life.of !== 'params' && begun.breaks !== now.breaks) return undefined
  const isStill = begun.reorgs === now.reorgs
  switch (life.of) {
    case 'params':
      return { isFinal: true }
    case 'head': {
      const { height, hash } = life.at
      const isHead = hash !== undefined && begun.head?.hash === hash && now.head?.hash === hash
      return isHead && isStill ? { isFinal: false, height, hash } : undefined
    }
    case 'block': {
      const height = positionOf()?.height
      if (isFinalized(height, begun)) return { isFinal: true, height, hash: life.hash }
      return isStill ? { isFinal: false, height, hash: life.hash } : undefined
    }
    case 'numbers':
      return isStill || isFinalized(life.to, begun) ? onChain({ height: life.to }, begun, now) : undefined
    case 'answer': {
      const position = positionOf()
      if (position === undefined) return undefined
      return isStill || isFinalized(position.height, begun) ? onChain(position, begun, now) : undefined
    }
  }
}

function isFinalized(height: number | undefined, { finalized }: Moment): boolean {
  return height !== undefined && finalized !== undefined && height <= finalized.height
}

/** Places an answer about blocks by their numbers. No reorg tells of blocks above the served head, so none of those is kept. */
function onChain({ height, hash }: Position, begun: Moment, now: Moment): Place | undefined {
  if (isFinalized(height, begun)) return { isFinal: true, height, hash }
  const { head } = begun
  if (head === undefined || now.head === undefined || height > head.height || height > now.head.height) return undefined
  if (height < head.height) return { isFinal: false, height, hash }
  if (hash !== undefined && head.hash !== undefined && hash !== head.hash) return undefined
  return { isFinal: false, height, hash: hash ?? head.hash }
}
