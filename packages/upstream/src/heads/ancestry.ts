import { type Clock, toRpcError } from '@wayleave/jsonrpc-core'
import type { Endpoint } from '../endpoint.ts'
import type { Asker } from './ask.ts'
import type { HeadReader } from './head-reader.ts'
import type { KnownBlocks } from './known-blocks.ts'
import type { Header, Position } from './position.ts'

/** Whether a node has the parents of its head. `unknown`: it is being asked. A family whose blocks have no question by hash has them all. */
export type Link = 'unknown' | 'linked' | 'refuted'

/** Asks a node for the parents of the head that it tells: a head that no chain leads to has none. */
export interface Ancestry {
  /** Whether the node has the parent of its head. The first call asks for it; later calls are about the same head. */
  hasParent(): Link
  /** Whether parents lead from its head down to `base`, a few blocks below. Asks for blocks that are not known, one after the other. */
  linkTo(base: Position): Link
}

export interface AncestryOptions {
  readonly endpoint: Endpoint
  readonly reader: HeadReader
  readonly asker: Asker
  readonly clock: Clock
  /** The chain that the node tells. */
  readonly blocks: KnownBlocks
  /** Called when a link is known. */
  readonly onNews: () => void
}

/** Behind a balancer the next node may not have the last blocks yet, and one may be busy: it is asked so many times, with so many ms between. */
const mostTimes = 3
const betweenMs = 250
/** The most heights between a block and its parent, as some chains leave out a few; and between a head and a block that it is linked to. */
const mostHeights = 16
const mostBelow = 32

/** The blocks from a head down, by their heights. */
interface Walk {
  readonly top: Header
  readonly hashes: Map<number, string>
  /** `broken`: the node does not have the next parent. */
  state: 'under way' | 'done' | 'broken'
}

export function createAncestry({ endpoint, reader, asker, clock, blocks, onNews }: AncestryOptions): Ancestry {
  let first: Link | undefined
  let walk: Walk | undefined

  const sleep = (): Promise<void> => new Promise((resolve) => void clock.after(betweenMs, resolve))

  /** Asks for the parent of a block; undefined where the node does not have it, or does not give it. */
  async function parentOf({ number, parentHash }: Header): Promise<Header | undefined> {
    if (parentHash === undefined) return undefined
    for (let times = 1; ; times++) {
      const asked = asker.ask(endpoint, 'latest', reader.block!(parentHash))
      const response = await asked.catch((why: unknown) => toRpcError(why, 'unavailable', 'no block'))
      // A question that hung is not asked again: others wait for it.
      if (response instanceof Error && response.code === 'timeout') return undefined
      const found = response instanceof Error || response.error !== undefined ? undefined : reader.positionOf(response)
      const heights = found?.hash === parentHash ? number - found.number : 0
      if (found !== undefined && heights > 0 && heights <= mostHeights) return found
      if (found !== undefined || times === mostTimes) return undefined
      await sleep()
    }
  }

  async function goDown(to: Walk, until: number, known: ReadonlyMap<number, string> | undefined): Promise<void> {
    let block = to.top
    to.hashes.set(block.number, block.hash)
    while (block.number > until) {
      const parent = await parentOf(block)
      if (parent === undefined) {
        to.state = 'broken'
        return
      }
      // The block below stands at heights that have none.
      for (let height = parent.number; height < block.number; height++) to.hashes.set(height, parent.hash)
      block = parent
      if (known?.get(block.number) !== block.hash) continue
      for (const [height, hash] of known) if (height < block.number && height >= until) to.hashes.set(height, hash)
      if (to.hashes.has(until)) break
    }
    to.state = 'done'
  }

  /** Whether the present head is that of a walk, or is known to go on from it. */
  const goesOn = ({ top }: Walk): boolean =>
    blocks.hashAt(top.number) === top.hash && (blocks.head!.number === top.number || blocks.linkedFrom <= top.number)

  return {
    hasParent() {
      const { head } = blocks
      if (first !== undefined || head === undefined) return first ?? 'unknown'
      if (reader.block === undefined || head.number === 0) return (first = 'linked')
      first = 'unknown'
      void parentOf(head).then((parent) => {
        first = parent === undefined ? 'refuted' : 'linked'
        onNews()
      })
      return first
    },
    linkTo(base) {
      const { head } = blocks
      if (reader.block === undefined || head === undefined) return 'linked'
      if (head.number - base.number > mostBelow) return 'refuted'
      if (walk?.state === 'under way') return 'unknown'
      if (walk !== undefined && goesOn(walk)) {
        const hash = walk.hashes.get(base.number)
        if (hash !== undefined) return hash === base.hash ? 'linked' : 'refuted'
        if (walk.state === 'broken') return 'refuted'
      }
      const next: Walk = { top: head, hashes: new Map(), state: 'under way' }
      void goDown(next, base.number, walk?.hashes).then(onNews)
      walk = next
      return 'unknown'
    },
  }
}
