import type { Clock } from '@wayleave/jsonrpc-core'
import type { Endpoint } from '../endpoint.ts'
import type { Asker } from './ask.ts'
import type { HeadReader } from './head-reader.ts'
import type { Header, Position } from './position.ts'

/** Whether a node has the parents of its head. `unknown`: it is being asked. Where it cannot be asked, it has them. */
export type Link = 'unknown' | 'linked' | 'refuted'

/** Asks a node for the parents of the head that it tells: a head that no chain leads to has none. */
export interface Ancestry {
  /** Whether the node has the parent of its head. The first call asks for it; later calls are about the same head. */
  hasParent(): Link
  /** Whether parents lead from its head down to `base`, a few blocks below. The first call for a head and a base asks. */
  linkTo(base: Position): Link
}

export interface AncestryOptions {
  readonly endpoint: Endpoint
  readonly reader: HeadReader
  readonly asker: Asker
  readonly clock: Clock
  /** Returns the head that the node tells. */
  readonly head: () => Header | undefined
  /** Called when a link is known. */
  readonly onNews: () => void
}

/** Behind a balancer the next node may not have the last blocks yet: it is asked so many times, with so many ms between. */
const mostTimes = 3
const betweenMs = 250
/** The most heights between a block and its parent, as some chains leave out a few; and between a head and a block that it is linked to. */
const mostHeights = 16
const mostBelow = 32

export function createAncestry({ endpoint, reader, asker, clock, head, onNews }: AncestryOptions): Ancestry {
  let first: Link | undefined
  let about = ''
  let link: Link = 'unknown'

  const sleep = (): Promise<void> => new Promise((resolve) => void clock.after(betweenMs, resolve))

  /** Asks for the parent of a block; undefined where the node does not have it. */
  async function parentOf({ number, parentHash }: Header): Promise<Header | undefined> {
    if (parentHash === undefined) return undefined
    for (let times = 1; ; times++) {
      const response = await asker.ask(endpoint, 'latest', reader.block!(parentHash)).catch(() => undefined)
      // A question that hung is not asked again: others wait for it.
      if (response === undefined) return undefined
      const found = response.error === undefined ? reader.positionOf(response) : undefined
      const heights = found?.hash === parentHash ? number - found.number : 0
      if (found !== undefined && heights > 0 && heights <= mostHeights) return found
      if (found !== undefined || times === mostTimes) return undefined
      await sleep()
    }
  }

  async function walk(from: Header, base: Position): Promise<Link> {
    let block: Header | undefined = from
    while (block !== undefined && block.number > base.number) block = await parentOf(block)
    return block?.hash === base.hash ? 'linked' : 'refuted'
  }

  return {
    hasParent() {
      const from = head()
      if (first !== undefined || from === undefined) return first ?? 'unknown'
      if (reader.block === undefined || from.number === 0) return (first = 'linked')
      first = 'unknown'
      void parentOf(from).then((parent) => {
        first = parent === undefined ? 'refuted' : 'linked'
        onNews()
      })
      return first
    },
    linkTo(base) {
      const from = head()
      if (reader.block === undefined || from === undefined) return 'linked'
      if (from.number - base.number > mostBelow) return 'refuted'
      const now = `${from.hash} ${base.hash}`
      if (now === about) return link
      about = now
      link = 'unknown'
      void walk(from, base).then((found) => {
        if (about !== now) return
        link = found
        onNews()
      })
      return link
    },
  }
}
