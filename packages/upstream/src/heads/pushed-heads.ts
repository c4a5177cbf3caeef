import type { RawJson } from '@wayleave/jsonrpc-core'
import type { HeadReader } from './head-reader.ts'
import type { Header } from './position.ts'

/** The meaning of a push: a head; the first of a block that may not be sealed, before which others are; or one more of such a block. */
export type PushedHead = 'head' | 'first' | 'again'

/** Heights that a node pushes once before its pushes are heads, and siblings one after the other that no reorganisation explains. */
const cleanHeights = 2
const mostSiblings = 2

/**
 * Creates the test whether a node pushes blocks that it is still building, as some with flashblocks do: one child of a parent after the other, at one
 * height. On chains of such nodes a push is no head until its node has pushed a few heights once each.
 */
export function createPushedHeads(
  reader: Pick<HeadReader, 'mayBeUnsealed'>,
): (header: Header, raw: RawJson) => PushedHead {
  let trust: 'unknown' | 'tried' | 'always' | 'never' = reader.mayBeUnsealed === undefined ? 'always' : 'unknown'
  let last: Header | undefined
  let siblings = 0
  let clean = 0

  return (header, raw) => {
    if (trust === 'unknown' && !reader.mayBeUnsealed!(raw)) trust = 'always'
    if (trust === 'always') return 'head'
    const isHigher = header.number > (last?.number ?? -1)
    const isSibling =
      header.number === last?.number && header.hash !== last.hash && header.parentHash === last.parentHash
    if (isHigher) clean = last !== undefined && siblings === 0 ? clean + 1 : 0
    siblings = isSibling ? siblings + 1 : 0
    last = header
    if (siblings >= mostSiblings) trust = 'never'
    else if (trust === 'unknown' && clean >= cleanHeights) trust = 'tried'
    if (trust === 'tried') return 'head'
    return isHigher ? 'first' : 'again'
  }
}
