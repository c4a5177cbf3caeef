import type { RawJson } from '@wayleave/jsonrpc-core'
import { heightOf } from './quantity.ts'

/** The kinds of `eth_subscribe` that tell of a block before it is sealed. Source: Base, "Flashblocks API". */
export type UnsealedKind = 'newFlashblocks' | 'newFlashblockTransactions' | 'pendingLogs'

/** The events of such a kind that were told, so that none is told twice whichever node tells it. */
export interface UnsealedOrder {
  /** Whether an event is to be told. After `moved`, one that another node told before is not. Never throws, whatever a node tells. */
  take(event: RawJson): boolean
  /** Takes the news that the events come from another node. */
  moved(): void
  /**
   * The events that a subscriber begins with: of all blocks from a height on that are kept, else of the block in progress. Undefined where that one is
   * too long to be kept: it begins with the next one.
   */
  kept(from: number | undefined): readonly RawJson[] | undefined
  /** Whether an event is of the block that is too long to be kept. */
  isCut(event: RawJson): boolean
  /** The lowest height of which all that was told is known. */
  readonly floor: number
}

/** Parts of blocks that are kept, and their bytes. */
const mostParts = 64
const mostBytes = 4_194_304
/** Blocks whose last part is known. */
const mostBlocks = 64
/** Blocks by which a node may be behind the one before. */
const mostBehind = 16
/** The longest name of a block that is kept, in characters. */
const longestId = 66
/** Transactions or logs that are known as told. */
const mostReported = 16_384

interface Part {
  /** Names the block as it is being built. */
  readonly block: string
  /** Undefined where the part does not say it. */
  readonly number: number | undefined
  /** The place in the block. */
  readonly step: number
  readonly hasBase: boolean
  /** Whether it is all of the block so far, not what was added. */
  readonly isWhole: boolean
}

interface PartMembers {
  readonly payload_id?: unknown
  readonly index?: unknown
  readonly base?: { readonly block_number?: unknown } | null
  readonly metadata?: { readonly block_number?: unknown } | null
  readonly number?: unknown
  readonly parentHash?: unknown
  readonly transactions?: unknown
}

/** Reads a part: Base's Flashblock object, or the block so far, as some nodes tell it. Undefined where it is neither. */
function partOf(event: RawJson): Part | undefined {
  const { payload_id, index, base, metadata, number, parentHash, transactions } = membersOf<PartMembers>(event)
  if (isId(payload_id) && typeof index === 'number') {
    const reported = metadata?.block_number
    const height = typeof reported === 'number' ? reported : heightOf(reported ?? base?.block_number)
    return { block: payload_id, number: height, step: index, hasBase: Boolean(base), isWhole: false }
  }
  const height = heightOf(number)
  if (height === undefined || !Array.isArray(transactions)) return undefined
  const block = `${height} ${isHash(parentHash) ? parentHash : ''}`
  return { block, number: height, step: transactions.length, hasBase: true, isWhole: true }
}

/**
 * Orders parts of blocks by block and place. What one node tells is told as it comes. After a move the parts that were told are left out, and those
 * of a block whose base the new node does not tell: its next block begins with one. `head`: the height of the last sealed block.
 */
export function partsOrder(head: () => number | undefined): UnsealedOrder {
  /** The last part of each block, the newest block last. */
  const lastParts = new Map<string, Part>()
  let parts: (Part & { readonly event: RawJson })[] = []
  let last: Part | undefined
  /** The head when that came. */
  let lastHead: number | undefined
  let isMoving = false
  /** A block without a base, after a move. */
  let headless: string | undefined
  /** A block that does not fit what is kept. */
  let cut: string | undefined

  /**
   * Whether a block is one before the last that was told, of a node that is behind. A block of a height that was told is built anew. Where the head
   * went back, or the last one is far above, the chain was set back, or the last one was never one of it.
   */
  function isOlder(number: number | undefined): boolean {
    const above = last?.number === undefined || number === undefined ? 0 : last.number - number
    if (above <= 0 || above > mostBehind) return false
    if ((head() ?? Number.POSITIVE_INFINITY) < (lastHead ?? 0)) return false
    return ![...lastParts.values()].some((part) => part.number === number)
  }

  function isNew({ block, number, step, hasBase }: Part): boolean {
    const known = lastParts.get(block)
    if (known !== undefined) return block === last?.block && step > known.step
    if (isOlder(number)) return false
    if (hasBase || (headless !== undefined && headless !== block)) return true
    // A node whose blocks have no base is told from the next one on.
    headless = block
    return false
  }

  /** Keeps a part, and whole blocks at most: one that does not fit is cut. */
  function keep(part: Part, event: RawJson): void {
    if (part.isWhole) parts = parts.filter(({ block }) => block !== part.block)
    if (part.block === cut) return
    const number = part.number ?? parts.findLast(({ block }) => block === part.block)?.number
    parts.push({ ...part, number, event })
    while (parts.length > mostParts || parts.reduce((sum, one) => sum + one.event.byteLength, 0) > mostBytes) {
      const oldest = parts[0]!.block
      parts = parts.filter(({ block }) => block !== oldest)
      if (oldest === part.block && !part.isWhole) cut = oldest
    }
  }

  return {
    floor: 0,
    take(event) {
      const part = partOf(event)
      if (part === undefined) return true
      if (isMoving && !isNew(part)) return false
      isMoving = false
      headless = undefined
      last = part
      lastHead = head()
      lastParts.delete(part.block)
      lastParts.set(part.block, part)
      if (lastParts.size > mostBlocks) lastParts.delete(lastParts.keys().next().value!)
      keep(part, event)
      return true
    },
    moved() {
      isMoving = true
      headless = undefined
    },
    kept(from) {
      if (cut !== undefined && cut === last?.block) return undefined
      const since = parts.filter(({ number }) => from !== undefined && (number ?? -1) >= from)
      const present = since.length > 0 ? since : parts.filter(({ block }) => block === last?.block)
      return present.map(({ event }) => event)
    },
    isCut: (event) => cut !== undefined && partOf(event)?.block === cut,
  }
}

/** Knows each transaction or log by its name: it is told once. `head`: the height of the last sealed block. */
export function namesOrder(kind: UnsealedKind, head: () => number | undefined): UnsealedOrder {
  /** The heights of those that were told, by name, oldest first. */
  const reported = new Map<string, number>()
  let floor = 0
  return {
    get floor() {
      return floor
    },
    take(event) {
      const name = nameOf(kind, event)
      if (name === undefined) return true
      if (reported.has(name)) return false
      // A transaction may be of the block that is being built, or of the next one, where the head comes late.
      reported.set(name, (head() ?? 0) + 2)
      if (reported.size > mostReported) {
        const [[oldest, height]] = reported as unknown as readonly [[string, number]]
        reported.delete(oldest)
        floor = Math.max(floor, height + 1)
      }
      return true
    },
    moved() {},
    kept: () => [],
    isCut: () => false,
  }
}

/** The name of a transaction, or of a log of one; undefined where the event is neither, or does not say which log it is. */
export function nameOf(kind: UnsealedKind, event: RawJson): string | undefined {
  if (kind === 'pendingLogs') {
    const { transactionHash, logIndex } = membersOf<{ transactionHash?: unknown; logIndex?: unknown }>(event)
    const index = heightOf(logIndex)
    return isHash(transactionHash) && index !== undefined ? `${transactionHash} ${index}`.toLowerCase() : undefined
  }
  const value = valueOf(event)
  const hash = typeof value === 'string' ? value : membersOf<{ hash?: unknown }>(event).hash
  return isHash(hash) ? hash.toLowerCase() : undefined
}

const isHash = (value: unknown): value is string => typeof value === 'string' && /^0x[\da-f]{64}$/i.test(value)
/** Whether a value names a block that is being built: Base's are of 8 bytes. */
const isId = (value: unknown): value is string => typeof value === 'string' && value.length <= longestId

function membersOf<T extends object>(event: RawJson): T {
  return Object(valueOf(event)) as T
}

function valueOf(event: RawJson): unknown {
  try {
    return event.value()
  } catch {
    return undefined
  }
}
