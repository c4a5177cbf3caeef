import type { RawJson } from '@wayleave/jsonrpc-core'
import type { HeadReader } from './head-reader.ts'
import type { Header } from './position.ts'

/** The meaning of a push: a head; news of a block that may not be sealed, beside which the head is to be asked for; or one more of such a block. */
export type PushedHead = 'head' | 'first' | 'again'

/** Heights that a node pushes once each before its pushes are heads, and the same once it pushed what it was building. */
const cleanHeights = 2
const cleanAgain = 8
/** Siblings one after the other that no reorganisation explains. */
const mostSiblings = 2
const zeros = /^0x0+$/

/**
 * Creates the test whether a node pushes blocks that it is still building, as some with flashblocks do: one child of a parent after the other, at one
 * height, or all under one hash. On chains of such nodes a push is no head until its node has pushed a few heights once each.
 */
export function createPushedHeads(
  reader: Pick<HeadReader, 'mayBeUnsealed'>,
): (header: Header, raw: RawJson) => PushedHead {
  let trust: 'unknown' | 'tried' | 'always' | 'lost' = reader.mayBeUnsealed === undefined ? 'always' : 'unknown'
  let last: Header | undefined
  let siblings = 0
  let clean = 0

  return (header, raw) => {
    if (trust === 'unknown' && !reader.mayBeUnsealed!(raw)) trust = 'always'
    if (trust === 'always') return 'head'
    const isHigher = header.number > (last?.number ?? -1)
    const isOther = header.hash !== last?.hash
    const isUnnamed = zeros.test(header.hash) || (isHigher && !isOther)
    if (isHigher) clean = last !== undefined && siblings === 0 ? clean + 1 : 0
    if (header.number !== last?.number || header.parentHash !== last.parentHash) siblings = 0
    else if (isOther) siblings++
    last = header
    if (isUnnamed || siblings >= mostSiblings) {
      trust = 'lost'
      clean = 0
    } else if (clean >= (trust === 'lost' ? cleanAgain : cleanHeights)) trust = 'tried'
    if (trust === 'tried') return 'head'
    return isHigher || (isOther && siblings < mostSiblings) ? 'first' : 'again'
  }
}
