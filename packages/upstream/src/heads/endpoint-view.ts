import type { ChainState } from './chain-question.ts'
import type { Follower } from './follower.ts'
import type { KnownBlocks } from './known-blocks.ts'
import type { Position } from './position.ts'
import type { HeadHealth } from './served-head.ts'

/** The knowledge of one upstream, as it is now. It never changes: a later one replaces it. */
export interface EndpointView {
  /** Its last head, also one that is not believed. */
  readonly head: Position | undefined
  readonly safe: Position | undefined
  readonly finalized: Position | undefined
  readonly chain: ChainState
  /** Whether it is there, as far as is known: it names the expected chain, or tells its head without naming any. */
  readonly isThere: boolean
  /** Whether it may be of another chain: it has named none, nor told a block that an upstream tells which named the expected one. */
  readonly isStrange: boolean
  /** Why it did not name its chain, for people; undefined where it did, or was not asked. */
  readonly silence: string | undefined
  readonly health: HeadHealth
  /** Whether its connection broke since it told its head: another node may have come in its place. */
  readonly isLost: boolean
  /** Blocks that its head is behind the highest that upstreams agree on; 0 where it is not. */
  readonly lag: number
  /** The time at which it told its head last, in ms on the clock's monotonic scale; negative infinity before that. */
  readonly saidAt: number
  /** The least age of its last new heads by their timestamps, when they came, in ms: far from zero where clocks differ. Undefined before the first. */
  readonly blockAgeMs: number | undefined
  /** Why it should not serve, for people: never a URL, nor a node's own words. Undefined where it can. */
  readonly reason: string | undefined
}

/** Makes the view of an upstream. `reference`: the height that lag is counted from; `expectedChain`: the chain it has to name. */
export function viewOf(
  { question, timing, blockAge, blocks, safe, finalized, isLost, isResting }: Follower,
  health: HeadHealth,
  reference: number,
  expectedChain: string,
  isStrange = false,
): EndpointView {
  const head = positionOf(blocks)
  const lag = head === undefined ? 0 : Math.max(0, reference - head.number)
  const chain = question.state
  const at = head?.number ?? 0
  const isHeard = question.hasAnswered || timing.saidAt > question.answeredAt
  const reportsHead = head !== undefined && timing.silence === undefined && isHeard
  const reasons: Record<HeadHealth, string | undefined> = {
    unknown: undefined,
    good: undefined,
    behind: `stands at block ${at}, the others at ${reference}`,
    ahead: `tells block ${at}, the others ${reference}`,
    forked: `tells another fork at block ${at}`,
    silent: `does not tell its head: ${timing.silence}`,
  }
  return {
    head,
    safe: positionOf(safe),
    finalized: positionOf(finalized),
    chain,
    isThere: chain === 'right' || (chain === 'silent' && reportsHead),
    isStrange,
    silence: question.silence,
    health,
    isLost: isLost && !isResting,
    lag,
    saidAt: timing.saidAt,
    blockAgeMs: blockAge.leastMs,
    reason: chain === 'wrong' ? `expected chain ${expectedChain}, got ${question.chain}` : reasons[health],
  }
}

/** Whether a view differs so that its host is told. */
export function isChange(before: EndpointView, { health, chain, isStrange, head }: EndpointView): boolean {
  const isMet = (before.isStrange && before.head !== undefined) !== (isStrange && head !== undefined)
  return before.health !== health || before.chain !== chain || isMet
}

function positionOf({ head }: KnownBlocks): Position | undefined {
  return head && { number: head.number, hash: head.hash }
}
