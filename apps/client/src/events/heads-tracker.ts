import { findBranch, type StreamBlock, streamBlockOf } from '@wayleave/evm-events'
import { type RawJson, RpcError } from '@wayleave/jsonrpc-core'
import type { BlockPlace, Questions } from './questions.ts'
import type { Report, Tracker } from './tracker.ts'

/** The most blocks that are fetched to close a gap; more are told as one. */
const maxMissed = 10_000
export const maxReorg = 128

/** Follows `newHeads`: each head is a child of one that was told. */
export function createHeadsTracker(questions: Questions): Tracker {
  /** The end of the chain as it was told, oldest first, each the parent of the next. */
  let list: StreamBlock[] = []
  /** The place before the first block to tell; all that is known at first. */
  let start: BlockPlace | undefined
  let asked: object | undefined

  async function blockAt(hash: string): Promise<StreamBlock> {
    const block = await questions.byHash(hash)
    if (block === undefined) throw new RpcError('unavailable', `the node has no block ${hash}`)
    return block
  }

  return {
    async begin(from) {
      const places = await questions.before(from)
      start = places.at(-1)
      list = places.filter((place): place is StreamBlock => 'header' in place)
      const { fromBlock, fromHash } = from
      asked = fromBlock === undefined ? (fromHash === undefined ? undefined : { fromHash }) : { fromBlock }
    },
    place() {
      const end = list.at(-1)
      if (asked !== undefined) return asked
      return end && { fromHash: end.hash }
    },
    take(event) {
      const block = streamBlockOf(event)
      if (block === undefined) return [event]
      asked = undefined
      if (list.length > 0) {
        if (list.some(({ hash }) => hash === block.hash)) return []
        const parent = list.findLastIndex(({ hash }) => hash === block.parentHash)
        if (parent === -1) return undefined
        list.length = parent + 1
      } else if (start?.number === -1 && block.number > 0) return undefined
      list.push(block)
      if (list.length > maxReorg) list.shift()
      return [event]
    },
    async fill(report, event) {
      asked = undefined
      const target = event === undefined ? await questions.latest() : streamBlockOf(event)!
      const blocks = new Map([[target.hash, target]])
      if (list.length === 0) {
        // Before the first block there is none whose child it could be.
        await reportFirst(report)
        if (list.at(-1)!.hash === target.hash) return
      }
      const recent = [...list]
      const at = async (hash: string): Promise<StreamBlock> => blocks.get(hash) ?? (await blockAt(hash))
      const updates = await findBranch({ recent, target, maxMissed, maxReorg, blockAt: at })
      if (updates.length > 0) list = recent
      for (const { kind, block } of updates) {
        if (kind === 'removed') list.pop()
        else {
          list.push(block)
          await report(event !== undefined && block === target ? event : block.header)
        }
      }
      if (list.length > maxReorg) list = list.slice(-maxReorg)
    },
    last: () => list.at(-1) ?? start,
    reset() {
      list = []
      start = undefined
      asked = undefined
    },
  }

  async function reportFirst(report: Report): Promise<void> {
    const first = await questions.upTo(0)
    if (first === undefined) throw new RpcError('unavailable', 'the node has no first block')
    list = [first]
    await report(first.header)
  }
}

/** The header of the newest block, as an event. */
export async function newestHead(questions: Questions): Promise<RawJson> {
  return (await questions.latest()).header
}
