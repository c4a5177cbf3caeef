import { agreedPosition } from './agreed-position.ts'
import { areAllBelow, type Cluster, dominantCluster, heightOf, isMajority, type Voter } from './cluster.ts'
import { createJumps } from './jumps.ts'
import { branchesOff, createKnownBlocks, type KnownBlocks, relationOf } from './known-blocks.ts'
import type { Position } from './position.ts'
import { reachIn, stepOf } from './reach.ts'

/**
 * The health of an upstream among the others.
 * - `unknown`: it has told no head yet, or none is served yet.
 * - `good`: it has the served head, or is within the tolerated lag of the others.
 * - `behind`: it lags, or has come back and not yet caught up.
 * - `ahead`: it tells a head that the chain cannot have reached.
 * - `forked`: it tells another fork than the served one.
 * - `silent`: it does not answer.
 */
export type HeadHealth = 'unknown' | 'good' | 'behind' | 'ahead' | 'forked' | 'silent'

/** One look at all upstreams. */
export interface Look {
  /** Upstreams that answer, and do not name a wrong chain. */
  readonly voters: readonly Voter[]
  /** Upstreams whose word counts: the voters, those that fell silent a moment ago, and those that have still to answer for the first time. */
  readonly electorate: number
  /** Upstreams that have neither answered nor failed to by now, and those that failed to: the first head waits for them. */
  readonly pending: number
  readonly silent: number
  /** The chain's pace, in ms a block. */
  readonly blockTimeMs: number
  /** The time, in ms. */
  readonly now: number
}

/** The outcome of a look. */
interface Verdict {
  readonly healthByName: ReadonlyMap<string, HeadHealth>
  /** The height that lag is counted from: the highest head of those that agree. */
  readonly reference: number
  /** Blocks that are served no more, the highest first. */
  readonly dropped: readonly Position[]
  /** Blocks by which the head went on, and the time that took in ms; undefined where it stayed, began or changed forks. */
  readonly advance: { readonly blocks: number; readonly ms: number } | undefined
}

/** The rule of the served head. It remembers that head, and who stands with it. */
export interface ServedHead {
  readonly head: Position | undefined
  /** Whether upstreams tell forks, and there is neither a first head nor a majority for one. */
  readonly isDisputed: boolean
  /** Whether first heads are apart, and it is not known of all whether their nodes have the parents. */
  readonly isApart: boolean
  /** The highest head that the chain can have reached by a time, at a pace; undefined before there is a head. */
  plausibleAt(now: number, blockTimeMs: number): number | undefined
  judge(look: Look): Verdict
}

export interface ServedHeadOptions {
  /** Blocks that an upstream may lag behind the others. Default: what a chain makes in two seconds, at least 2 and at most 10. */
  readonly toleratedLag?: number | undefined
  /** Time for which a head that no upstream has any more is kept, in ms. */
  readonly holdMs: number
}

/** A head to serve, and the chains that have it. */
interface Choice {
  readonly at: Position
  readonly witnesses: readonly KnownBlocks[]
}

/** The depth of a reorganisation that a single upstream is believed at once. */
const shallow = 8
/** Time for which a fork of an only upstream waits for others, in ms, if it may as well be another chain: it joins no served block. */
const unjoinedMs = 2_000
/** Time for which a head is kept that all of several upstreams are far below, in ms. */
const setBackMs = 1_000
/** An upstream that goes on alone is followed once the others have stood still for so many blocks' time, and so many ms. */
const standstillBlocks = 10
const standstillMs = 30_000
/** Time for which a first head that has no majority, or no second witness, waits for them, in ms. */
const firstPatienceMs = 5_000
/** The most served blocks that are remembered, so that a reorganisation can drop them. */
const mostServed = 128

/** Blocks that an upstream may lag behind the others at a pace. */
function toleratedLagAt(blockTimeMs: number): number {
  return Math.min(Math.max(Math.ceil(2_000 / blockTimeMs), 2), 10)
}

/**
 * Creates the rule. The served head is the lowest of the largest cluster, and needs two witnesses of its hash where three upstreams
 * answer (the first one is higher where the lowest has only one); so one that lies cannot move it, neither up nor down, and all of the cluster have it. It goes back only if a majority tells
 * another fork, or if no upstream has had it for `holdMs`.
 */
export function createServedHead({ toleratedLag, holdMs }: ServedHeadOptions): ServedHead {
  let head: Position | undefined
  let chain = createKnownBlocks()
  let served: Position[] = []
  let advancedAt = 0
  let firstLookAt: number | undefined
  let isDisputed = false
  let isApart = false
  /** The time since which an only upstream tells a fork that does not join the served blocks. */
  let unjoinedSince: number | undefined
  /** The time since which no voter has the served head. */
  let missingSince: number | undefined
  /** Voters that stand with the others; one that fell back is not among them until it has caught up. */
  const healthy = new Set<string>()
  /** The upstream that is followed alone, because all others stood still. */
  let leader: string | undefined
  const jumps = createJumps()
  /** Whether several upstreams answer, one of which has about the served head: then time alone makes no higher one plausible. */
  let isWitnessed = false

  const isForked = ({ blocks }: Voter): boolean => relationOf(chain, blocks) === 'forked'

  /** Serves a head that the witnesses tell; returns the blocks that it replaces. */
  function serve({ at: next, witnesses }: Choice, now: number): Position[] {
    // Blocks that a witness told before a gap may be of a fork that it has left.
    const linked = witnesses.map((blocks) => ({ blocks, from: blocks.linkedFrom }))
    const isDropped = ({ number, hash }: Position): boolean =>
      number > next.number ||
      linked.some(({ blocks, from }) => number >= from && (blocks.hashAt(number) ?? hash) !== hash)
    const dropped = served.filter(isDropped).toReversed()
    if (dropped.length > 0) {
      served = served.filter((position) => !isDropped(position))
      chain = createKnownBlocks()
      for (const position of served) chain.learn(position)
    }
    const parents = witnesses.map((blocks) => blocks.hashAt(next.number - 1))
    chain.learn({ ...next, parentHash: parents.find((hash) => hash !== undefined) })
    if (served.at(-1)?.number !== next.number) served = [...served, next].slice(-mostServed)
    head = next
    isDisputed = false
    isApart = false
    unjoinedSince = undefined
    advancedAt = now
    missingSince = undefined
    return dropped
  }

  function doubtedOf({ voters, electorate, blockTimeMs, now }: Look, lag: number): ReadonlySet<Voter> {
    if (head === undefined || electorate < 2) return new Set()
    return jumps.doubted({ voters, electorate, head, lag, blockTimeMs, advancedAt, now }, healthy)
  }

  /** Chooses the next head; undefined where it stays. */
  function choose(look: Look, lag: number, plausible: readonly Voter[]): Choice | undefined {
    const { voters, electorate, pending, silent, blockTimeMs, now } = look
    const witnesses = electorate < 3 ? 1 : 2
    const pick = (cluster: Cluster | undefined, above: number, atLeast: number) => {
      if (cluster === undefined) return undefined
      const chains = cluster.members.map(({ blocks }) => blocks)
      // A member that told nothing for some blocks still counts as of the old fork, so witnesses may stand elsewhere.
      const by = atLeast > 1 ? voters.map(({ blocks }) => blocks) : chains
      const at = agreedPosition(chains, by, cluster.lowest, above, atLeast)
      return at && { at, witnesses: by.filter((blocks) => blocks.hashAt(at.number) === at.hash) }
    }

    /** Picks the lowest head of a cluster, or else the lowest block above it that so many tell: nobody's past is known yet. */
    const first = (cluster: Cluster | undefined, atLeast: number) => {
      let choice = pick(cluster, -1, atLeast)
      if (cluster === undefined) return choice
      for (let lowest = cluster.lowest + 1; choice === undefined && lowest <= cluster.highest; lowest++) {
        choice = pick({ ...cluster, lowest }, lowest - 1, atLeast)
      }
      return choice
    }

    if (head === undefined) {
      const isPatient = now - (firstLookAt ?? now) < firstPatienceMs
      const isSplit = (dominantCluster(voters, lag)?.members.length ?? 0) < voters.length
      const links = isSplit ? voters.map((voter) => voter.hasParent()) : []
      isApart = isPatient && links.includes('unknown')
      // A head without a parent at its own node is of no chain, unless that is so everywhere.
      const rooted = voters.filter((_, i) => links[i] !== 'refuted')
      const reported = rooted.length > 0 ? rooted : voters
      const cluster = dominantCluster(reported, lag)
      const votes = cluster?.members.length ?? 0
      const forks = reported.filter((voter) => cluster?.members.some((other) => isFork(voter, other)) === true)
      isDisputed = forks.length > 0 && !isMajority(votes, electorate) && isPatient
      const isUndisputed = votes === reported.length || (silent === 0 && forks.length === 0)
      const isReady = isMajority(votes, electorate) || (pending === 0 && !isApart && (isUndisputed || !isPatient))
      return isReady ? first(cluster, isPatient ? witnesses : 1) : undefined
    }

    // A majority that tells another fork; a single upstream is believed if the fork is shallow.
    const forked = plausible.filter(isForked)
    const fork = dominantCluster(forked, lag)
    if (fork !== undefined && isMajority(fork.members.length, electorate)) {
      const next = pick(fork, -1, witnesses)
      const isNew = next !== undefined && chain.hashAt(next.at.number) !== next.at.hash
      if (isNew && fork.members.length > 1) return next
      if (isNew && head.number - next.at.number <= shallow) {
        if (branchesOff(fork.members[0]!.blocks, chain, shallow)) return next
        unjoinedSince ??= now
        if (now - unjoinedSince >= unjoinedMs) return next
      }
    } else unjoinedSince = undefined

    const followed = plausible.filter(({ name }) => healthy.has(name))
    if (followed.length > 1 || followed[0]?.name !== leader) leader = undefined
    const atLeast = leader === undefined ? witnesses : 1
    const next = pick(dominantCluster(followed, lag), head.number, atLeast)
    if (next !== undefined) return next

    const standstill = Math.max(standstillMs, standstillBlocks * blockTimeMs)
    if (now - advancedAt >= standstill) {
      const leaders = plausible.filter(
        ({ name, movedAt }) =>
          now - (jumps.aboveSince(name) ?? now) >= standstill && now - movedAt < Math.max(4 * blockTimeMs, 2_000),
      )
      const cluster = dominantCluster(leaders, lag)
      if (cluster !== undefined) {
        leader = cluster.members[0]!.name
        return pick(cluster, -1, 1)
      }
    }

    const heldMs = areAllBelow(voters, electorate, head.number - shallow) ? Math.min(holdMs, setBackMs) : holdMs
    if (missingSince === undefined || now - missingSince < heldMs) return undefined
    const cluster = dominantCluster(plausible, lag) ?? dominantCluster(voters, lag)
    return pick(cluster, -1, witnesses) ?? pick(cluster, -1, 1)
  }

  /** Records who has the served head, and who has lost it. */
  function settle({ voters, blockTimeMs, now }: Look, plausible: readonly Voter[], lag: number): void {
    const height = head!.number
    jumps.note({ voters, head: head!, lag, blockTimeMs, now })
    let isThere = voters.length === 0
    const answering = new Set(voters.map(({ name }) => name))
    for (const name of healthy) if (!answering.has(name)) healthy.delete(name)
    for (const voter of voters) {
      const { name } = voter
      const at = heightOf(voter)
      const isPlausible = plausible.includes(voter)
      const forked = isForked(voter)
      if (forked) healthy.delete(name)
      else if (isPlausible && at >= height - Math.floor(lag / 2)) healthy.add(name)
      isThere ||= isPlausible && !forked && at >= height
    }
    if (isThere) missingSince = undefined
    else missingSince ??= now
  }

  return {
    get head() {
      return head
    },
    get isDisputed() {
      return isDisputed
    },
    get isApart() {
      return isApart
    },
    plausibleAt(now, blockTimeMs) {
      if (head === undefined) return undefined
      const reach = isWitnessed ? stepOf(blockTimeMs) : reachIn(now - advancedAt, blockTimeMs)
      return head.number + (toleratedLag ?? toleratedLagAt(blockTimeMs)) + reach
    },
    judge(look) {
      const { voters, blockTimeMs, now } = look
      const lag = toleratedLag ?? toleratedLagAt(blockTimeMs)
      if (voters.length > 0) firstLookAt ??= now
      let doubted = doubtedOf(look, lag)
      let plausible = voters.filter((voter) => !doubted.has(voter))
      if (head !== undefined) settle(look, plausible, lag)

      const before = head
      const beganAt = advancedAt
      const next = choose(look, lag, plausible)
      const dropped = next === undefined ? [] : serve(next, now)
      if (head === undefined) return { healthByName: new Map(), reference: 0, dropped, advance: undefined }
      if (next !== undefined) {
        doubted = doubtedOf(look, lag)
        plausible = voters.filter((voter) => !doubted.has(voter))
        settle(look, plausible, lag)
      }

      isWitnessed = voters.length > 1 && healthy.size > 0
      const together = plausible.filter(({ name }) => healthy.has(name))
      const reference = Math.max(head.number, dominantCluster(together, lag)?.highest ?? 0)
      const healthByName = new Map<string, HeadHealth>()
      for (const voter of voters) {
        const { name } = voter
        if (heightOf(voter) < reference - lag) healthy.delete(name)
        if (doubted.has(voter) && !(jumps.isAsked(name) && healthy.has(name))) healthByName.set(name, 'ahead')
        else if (healthy.has(name)) healthByName.set(name, 'good')
        else healthByName.set(name, isForked(voter) ? 'forked' : 'behind')
      }
      const isAdvance = next !== undefined && before !== undefined && dropped.length === 0
      const advance = isAdvance ? { blocks: head.number - before.number, ms: now - beganAt } : undefined
      return { healthByName, reference, dropped, advance }
    },
  }
}

function isFork(one: Voter, other: Voter): boolean {
  return relationOf(one.blocks, other.blocks) === 'forked'
}
