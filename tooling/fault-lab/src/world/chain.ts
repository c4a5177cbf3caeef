import type { Hex } from '@wayleave/evm-types'
import type { Plan } from '../plan.ts'
import { ancestorAt, type Block, makeBlock } from './evm/block.ts'
import { firstState } from './evm/state.ts'
import { emittingTransactions, type LabTransaction, ownTransaction } from './evm/transactions.ts'
import type { Journal } from './journal.ts'
import { type Random, streamOf } from './random.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** A head, and when the network had it. */
interface HeadAt {
  readonly at: number
  readonly block: Block
}

/** The chain of the network, as it grows, and all that was ever on it. */
export interface Chain {
  readonly head: Block
  /** All heads so far, the first one from before the run; those of a new branch from its first block on. */
  readonly heads: readonly HeadAt[]
  /** Finds a block of the network by its hash, also one that a reorganisation removed. */
  byHash(hash: string): Block | undefined
  /** Callers' transactions that are on the chain, or were. */
  readonly everMined: ReadonlySet<string>
  /** Finds where a transaction is below a block. */
  find(hash: string, head: Block): Place | undefined
  /** Transactions that wait at the network's miners. */
  readonly waiting: ReadonlyMap<Hex, LabTransaction>
  /** Hands a transaction to the miners. */
  submit(transaction: LabTransaction): void
  onHead(listener: (head: Block) => void): void
  /** Makes no more blocks. */
  stop(): void
}

export interface Place {
  readonly block: Block
  readonly index: number
}

/** Blocks before the run. */
const historyLength = 200
/** Time between two of those, in seconds. */
const historyPaceS = 12
const firstTimestamp = 1_700_000_000
/** Most transactions of callers in a block. */
const mostOfCallers = 6

/** The own transactions of a block: none, one or two. */
function ownTransactionsOf(number: number): readonly LabTransaction[] {
  // Two in four blocks, the numbers without gaps.
  const first = 3 * Math.floor(number / 4)
  if (number % 4 === 1) return [ownTransaction(first)]
  return number % 4 === 3 ? [ownTransaction(first + 1), ownTransaction(first + 2)] : []
}

let history: Block | undefined
let strange: Block | undefined
const oldBlocks = new Map<string, Block>()
const oldPlaces: Places = new Map()

/** The last block before every run: runs share all until there. */
function lastOldBlock(): Block {
  if (history !== undefined) return history
  let block: Block | undefined
  for (let number = 0; number <= historyLength; number++) {
    const timestamp = firstTimestamp - (historyLength - number) * historyPaceS
    const made = makeBlock(block ?? { number: -1, state: firstState }, ownTransactionsOf(number), {
      chain: 'main',
      timestamp,
      extra: 'wayleave fault lab',
    })
    oldBlocks.set(made.hash, made)
    place(oldPlaces, made)
    block = made
  }
  return (history = block!)
}

/** The last old block of another chain, which has no transactions. */
export function lastStrangeBlock(): Block {
  if (strange !== undefined) return strange
  let block: Block | undefined
  for (let number = 0; number <= historyLength; number++) {
    const timestamp = firstTimestamp - (historyLength - number) * historyPaceS
    block = makeBlock(block ?? { number: -1, state: firstState }, [], { chain: 'other', timestamp, extra: 'elsewhere' })
  }
  return (strange = block!)
}

/** Starts the chain of a plan: a block every `blockMs`, and its reorganisations. */
export function createChain(plan: Plan, clock: VirtualClock, journal: Journal): Chain {
  const random = streamOf(plan.seed, 'chain')
  const first = lastOldBlock()
  const byHash = new Map<string, Block>()
  const places: Places = new Map()
  const heads: HeadAt[] = [{ at: clock.now(), block: first }]
  const waiting = new Map<Hex, LabTransaction>()
  const everMined = new Set<string>()
  const listeners: ((head: Block) => void)[] = []
  let forks = 0
  let isStopped = false

  const head = (): Block => heads.at(-1)!.block

  /** The height of the child of a block. Heights of own transactions, which have nonces, are never empty. */
  function nextOf({ number }: Block): number {
    const isEmpty = (number + 1) % 2 === 0 && ((number + 1) % 8) / 2 < (plan.holes ?? 0)
    return isEmpty ? number + 2 : number + 1
  }

  function extend(parent: Block, transactions: readonly LabTransaction[]): Block {
    const timestamp = Math.max(firstTimestamp + Math.floor(clock.now() / 1_000), parent.timestamp)
    const making = { chain: 'main', timestamp, extra: `branch ${forks}`, number: nextOf(parent) } as const
    const block = makeBlock(parent, transactions, making)
    byHash.set(block.hash, block)
    place(places, block)
    return block
  }

  function ownOf(number: number): readonly LabTransaction[] {
    const own = ownTransactionsOf(number)
    return plan.emits === true ? [...own, ...emittingTransactions(number, forks)] : own
  }

  function find(hash: string, below: Block): Place | undefined {
    const isBelow = ({ block }: Place): boolean => ancestorAt(below, block.number) === block
    return places.get(hash)?.find(isBelow) ?? oldPlaces.get(hash)?.find(isBelow)
  }

  function become(block: Block, what: 'block' | 'reorg', text: string): void {
    heads.push({ at: clock.now(), block })
    journal.note('chain', what, text)
    for (const listener of listeners) listener(block)
  }

  function mine(): void {
    if (isStopped) return
    clock.after(plan.blockMs, mine)
    const ofCallers = taken(waiting, mostOfCallers)
    const block = extend(head(), [...ownOf(nextOf(head())), ...ofCallers])
    for (const { id, hash } of ofCallers) {
      everMined.add(hash)
      journal.note('chain', 'mined', `${id} in ${block.number}`)
    }
    become(block, 'block', `${block.number} ${block.hash.slice(0, 10)} (${block.transactions.length} transactions)`)
  }

  function reorganise(depth: number): void {
    const old = head()
    const from = ancestorAt(old, Math.max(1, old.number - depth))!
    forks++
    const dropped = new Map<number, readonly LabTransaction[]>()
    for (let at: Block = old; at !== from; at = at.parent!) dropped.set(at.number, at.transactions.filter(isOfCaller))
    let block = from
    while (block.number <= old.number) {
      const number = nextOf(block)
      const again = (dropped.get(number) ?? []).filter((transaction) => stays(transaction, random, waiting))
      block = extend(block, [...ownOf(number).toReversed(), ...again])
      if (number <= old.number) heads.push({ at: clock.now(), block })
    }
    become(block, 'reorg', `${depth} blocks left, ${from.number} stays, the head is ${block.number}`)
  }

  clock.after(plan.blockMs, mine)
  for (const { at, depth } of plan.reorgs) clock.after(at, () => reorganise(depth))

  return {
    get head() {
      return head()
    },
    heads,
    waiting,
    everMined,
    byHash: (hash) => byHash.get(hash) ?? oldBlocks.get(hash),
    find,
    submit(transaction) {
      if (find(transaction.hash, head()) === undefined) waiting.set(transaction.hash, transaction)
    },
    onHead: (listener) => void listeners.push(listener),
    stop() {
      isStopped = true
    },
  }
}

const isOfCaller = ({ id }: LabTransaction): boolean => id.startsWith('c')

/** Whether a transaction of a removed block is mined at its height again; else it waits. */
function stays(transaction: LabTransaction, random: Random, waiting: Map<Hex, LabTransaction>): boolean {
  if (random() < 0.6) return true
  waiting.set(transaction.hash, transaction)
  return false
}

function taken(waiting: Map<Hex, LabTransaction>, most: number): LabTransaction[] {
  const first = [...waiting.values()].slice(0, most)
  for (const { hash } of first) waiting.delete(hash)
  return first
}

type Places = Map<string, Place[]>

/** Notes where the transactions of a new block are. */
function place(places: Places, block: Block): void {
  for (const [index, { hash }] of block.transactions.entries()) {
    const known = places.get(hash)
    if (known === undefined) places.set(hash, [{ block, index }])
    else known.push({ block, index })
  }
}
