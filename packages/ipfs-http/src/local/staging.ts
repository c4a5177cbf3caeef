import type { CID } from 'multiformats/cid'
import type { StagedBlocks, StageOptions } from '../backend.ts'
import { IpfsError } from '../error.ts'
import { diskBytesOf } from '../unixfs/disk-bytes.ts'
import { isIdentity } from '../unixfs/identity.ts'
import { type BlockStore, placeOf } from './block-store.ts'
import { createFreshBlocks } from './fresh-blocks.ts'
import type { Holds } from './holds.ts'
import { type BlockOwner, ownerWithoutStage } from './owned.ts'

/** The blocks of one request; those that it writes first are its new ones. */
interface Stage extends BlockOwner, StagedBlocks {}

/** Knows the new blocks of each request, and the blocks that no pin is known to hold. */
export interface Staging {
  open(options: StageOptions): StagedBlocks
  /** Runs a call whose blocks belong to its stage. Without one they may be pinned at any time, so that they never count. */
  own<T>(staged: StagedBlocks | undefined, start: (owner: BlockOwner) => AsyncIterable<T>): AsyncGenerator<T>
  /** Notes that a block is gone, or that a pin holds it: it counts no more. */
  settle(multihash: Uint8Array): void
  /** Removes a block that requests of `lane` have left, and that nobody uses. Tells whether it is gone. */
  removeLeft(multihash: Uint8Array, lane: string): Promise<boolean>
  /** Lists the blocks of `lane` that {@link removeLeft} may remove. */
  unused(lane: string): Iterable<Uint8Array>
  /** Bytes on the disk of blocks of requests that have ended, and that no pin is known to hold. */
  readonly leftBytes: number
}

/** A block that no pin is known to hold. */
interface NewBlock {
  readonly bytes: number
  lane: string
  /** The request's account, which is charged for it. */
  charge: StageOptions['onBytes']
  /** The requests that use it and have not ended. */
  users: readonly Stage[]
  /** Whether one of its requests has ended without a pin or a removal. */
  isLeft: boolean
  /** Whether one of them may have been pinned all the same. */
  mayBePinned: boolean
}

/** Most new blocks of all requests, some 300 bytes of memory each. */
const mostNew = 1_500_000
/** Blocks that one request removes at a time. */
const mostRemovals = 16

/**
 * Keeps account of the blocks that are new since the start. A block stops being new once a request has pinned a root above it;
 * then only a collection may remove it. So a request that fails removes what it alone has used: whoever pins a block has written or
 * walked it, and thereby used it. `mostBlocks` is for tests.
 */
export function createStaging(store: BlockStore, holds: Holds, mostBlocks: number = mostNew): Staging {
  const blocks = new Map<string, NewBlock>()
  const stages = new WeakMap<StagedBlocks, Stage>()
  const chargeOf = new WeakMap<Stage, StageOptions['onBytes']>()
  /** The blocks that requests have left, by lane. */
  const left = new Map<string, Set<string>>()
  let leftBytes = 0
  const openFresh = createFreshBlocks()

  /** Takes a block off the account. */
  const settle = (key: string): void => {
    const block = blocks.get(key)
    if (block === undefined) return
    blocks.delete(key)
    if (block.isLeft) {
      leftBytes -= block.bytes
      forgetLeft(key, block)
    }
    block.charge(-block.bytes)
  }
  const leaveBlock = (key: string, block: NewBlock): void => {
    if (block.isLeft) return
    leftBytes += block.bytes
    block.isLeft = true
    left.set(block.lane, (left.get(block.lane) ?? new Set()).add(key))
  }
  const forgetLeft = (key: string, { lane }: NewBlock): void => {
    const ofLane = left.get(lane)
    ofLane?.delete(key)
    if (ofLane?.size === 0) left.delete(lane)
  }

  const open = ({ lane, maxBlocks, onBytes }: StageOptions): Stage => {
    const hold = holds.open()
    /** The new blocks that it uses. */
    const keys = new Set<string>()
    /** Blocks that are reachable from the roots. */
    const reachable = new Set<string>()
    /** The lengths of all blocks that it has put. */
    const sizes = new Map<string, number>()
    const fresh = openFresh()
    const writing = new Set<Promise<void>>()
    let counted = 0
    let ownBytes = 0
    let isOver = false

    const requireOpen = (): void => {
      if (isOver) throw new IpfsError('aborted', 'the request of this block has ended')
    }
    const begin = (key: string, bytes: number): void => {
      requireOpen()
      if (blocks.size >= mostBlocks) {
        throw new IpfsError('storage', `${mostBlocks} blocks wait for a pin or a collection: try again later`)
      }
      onBytes(bytes)
      blocks.set(key, { bytes, lane, charge: onBytes, users: [stage], isLeft: false, mayBePinned: false })
      keys.add(key)
    }
    const join = (key: string): NewBlock | undefined => {
      const block = isOver ? undefined : blocks.get(key)
      if (block === undefined || keys.has(key)) return block
      block.users = [...block.users, stage]
      keys.add(key)
      return block
    }
    const use = (key: string): void => {
      const block = join(key)
      if (block === undefined || reachable.has(key)) return
      reachable.add(key)
      if (block.lane === lane) ownBytes += block.bytes
    }
    const write = async (cid: CID, bytes: Uint8Array): Promise<void> => {
      const key = keyOf(cid.multihash.bytes)
      let isNew = false
      try {
        await store.put(cid, bytes, () => {
          begin(key, diskBytesOf(cid, bytes.length))
          isNew = true
        })
      } catch (thrown) {
        // Nothing was written. Others wait for their own turn to write it.
        if (isNew) settle(key)
        throw thrown
      }
      join(key)
      sizes.set(key, bytes.length)
      if (isNew && !isOver) fresh.keep(key, cid, bytes)
    }
    /** Ends the part of this stage in a block. Tells whether nobody else uses it. */
    const quit = (block: NewBlock): boolean => {
      block.users = block.users.filter((user) => user !== stage)
      return block.users.length === 0
    }
    const removeBlock = async (key: string): Promise<void> => {
      const block = blocks.get(key)
      if (block === undefined) return
      if (!quit(block)) {
        if (block.charge === onBytes) recharge(key, block)
        return
      }
      const multihash = Buffer.from(key, 'latin1')
      // Another call may have begun to use it, and not yet come far enough to be known as a user.
      if (block.isLeft || holds.has(multihash)) return leaveBlock(key, block)
      blocks.delete(key)
      try {
        if ((await store.remove(placeOf(multihash))) !== undefined) return block.charge(-block.bytes)
      } catch {
        // The next collection tells what is wrong with the file.
      }
      if (blocks.has(key)) return block.charge(-block.bytes)
      blocks.set(key, block)
      leaveBlock(key, block)
    }
    /** Charges a block that others still use to one of them. */
    const recharge = (key: string, block: NewBlock): void => {
      const [user] = block.users
      const next = chargeOf.get(user!)!
      try {
        next(block.bytes)
      } catch {
        // The project has no space for it.
        return
      }
      onBytes(-block.bytes)
      block.charge = next
      if (block.isLeft) forgetLeft(key, block)
      block.lane = user!.lane
      if (block.isLeft) left.set(block.lane, (left.get(block.lane) ?? new Set()).add(key))
    }
    const leave = (isPinned: boolean, mayBePinned = false): void => {
      if (isOver) return
      isOver = true
      fresh.end()
      for (const key of keys) {
        const block = blocks.get(key)
        if (block === undefined) continue
        if (isPinned && reachable.has(key)) {
          settle(key)
        } else {
          quit(block)
          leaveBlock(key, block)
          block.mayBePinned ||= mayBePinned
        }
      }
      hold.release()
    }

    const stage: Stage = {
      lane,
      hold,
      get ownBytes() {
        return ownBytes
      },
      count() {
        requireOpen()
        if (++counted > maxBlocks) {
          throw new IpfsError(
            'too_large',
            `an upload may have ${maxBlocks} blocks: use larger chunks, or several uploads`,
          )
        }
      },
      put(cid, bytes) {
        if (isIdentity(cid)) return Promise.resolve()
        // Comes first, because a collection that runs has to see it.
        hold.keep(cid.multihash.bytes)
        // The call has written or compared it already, and the hold keeps it.
        if (!isOver && sizes.has(keyOf(cid.multihash.bytes))) return Promise.resolve()
        const now = write(cid, bytes).finally(() => writing.delete(now))
        writing.add(now)
        return now
      },
      writtenSize: (multihash) => sizes.get(keyOf(multihash)),
      writtenBytes: (multihash) => fresh.get(keyOf(multihash)),
      use: (multihash) => use(keyOf(multihash)),
      keep: () => leave(true),
      leave: ({ mayBePinned } = {}) => leave(false, mayBePinned),
      async discard() {
        if (isOver) return
        isOver = true
        fresh.end()
        await Promise.allSettled(writing)
        // No pin holds its blocks yet, so that not even a collection that runs must keep them.
        hold.drop()
        const rest = keys.values()
        const removeRest = async (): Promise<void> => {
          for (const key of rest) await removeBlock(key)
        }
        await Promise.all(Array.from({ length: mostRemovals }, removeRest))
        keys.clear()
        reachable.clear()
      },
    }
    chargeOf.set(stage, onBytes)
    stages.set(stage, stage)
    return stage
  }

  return {
    open,
    async *own(staged, start) {
      const stage = staged === undefined ? undefined : stages.get(staged)
      if (stage !== undefined) return yield* start(stage)
      const owner = ownerWithoutStage(store, holds.open(), (multihash) => settle(keyOf(multihash)))
      try {
        yield* start(owner)
      } finally {
        owner.hold.release()
      }
    },
    settle: (multihash) => settle(keyOf(multihash)),
    async removeLeft(multihash, lane) {
      const key = keyOf(multihash)
      const block = blocks.get(key)
      if (block?.lane !== lane || !isUnused(block) || holds.has(multihash)) return false
      // A caller who begins to use it meanwhile waits until it is gone, and writes it again or does not find it.
      settle(key)
      return (await store.remove(placeOf(multihash))) !== undefined
    },
    *unused(lane) {
      for (const key of left.get(lane) ?? []) if (isUnused(blocks.get(key))) yield Buffer.from(key, 'latin1')
    },
    get leftBytes() {
      return leftBytes
    },
  }
}

/** Whether no request uses a block any more, and none can have pinned it. */
function isUnused(block: NewBlock | undefined): boolean {
  return block?.isLeft === true && !block.mayBePinned && block.users.length === 0
}

function keyOf(multihash: Uint8Array): string {
  return Buffer.from(multihash.buffer, multihash.byteOffset, multihash.length).toString('latin1')
}
