import { CID } from 'multiformats/cid'
import { IpfsError } from '../error.ts'
import { type Cursor, readKey, readSpan, readVarint64 } from './protobuf.ts'

/**
 * A dag-pb block, whose links are decoded when they are asked for: a seek needs one of perhaps 50,000.
 * Source: IPLD, DAG-PB.
 */
export interface PbNode {
  readonly cid: CID
  readonly bytes: Uint8Array
  readonly data: Uint8Array | undefined
  readonly linkCount: number
  /** Four numbers for each link: the start of its CID in `bytes` and the length, then the same for its name. */
  readonly spans: Uint32Array
}

/** Parses a block of dag-pb. @throws IpfsError `bad_content` */
export function parsePb(cid: CID, bytes: Uint8Array): PbNode {
  try {
    return parse(cid, bytes)
  } catch (cause) {
    throw new IpfsError('bad_content', `block ${cid} is no dag-pb: ${(cause as Error).message}`, { cause })
  }
}

/** Decodes the CID of a link. @throws IpfsError `bad_content` */
export function linkCid(node: PbNode, index: number): CID {
  try {
    return CID.decode(linkBytes(node, index))
  } catch (cause) {
    throw new IpfsError('bad_content', `link ${index} of block ${node.cid} is no CID`, { cause })
  }
}

/** Returns the bytes of a link's CID, unchecked. */
export function linkBytes(node: PbNode, index: number): Uint8Array {
  return spanAt(node, index * 4)
}

/** Returns the name of a link as UTF-8; empty if it has none. */
export function linkName(node: PbNode, index: number): Uint8Array {
  return spanAt(node, index * 4 + 2)
}

/** Returns the size of all that lies below a link, in bytes, as its parent claims it; 0 if it claims none. */
export function linkSize({ bytes, spans }: PbNode, index: number): bigint {
  const [cid = 0, cidLength = 0, name = 0, nameLength = 0] = spans.subarray(index * 4, index * 4 + 4)
  const at = Math.max(cid + cidLength, name + nameLength)
  return bytes[at] === sizeKey ? readVarint64({ bytes, at: at + 1 }) : 0n
}

/** Begins the size of a link, which ends it. No field after a link begins so. */
const sizeKey = (3 << 3) | 0

function spanAt({ bytes, spans }: PbNode, at: number): Uint8Array {
  const start = spans[at] as number
  return bytes.subarray(start, start + (spans[at + 1] as number))
}

function parse(cid: CID, bytes: Uint8Array): PbNode {
  const cursor: Cursor = { bytes, at: 0 }
  let spans = new Uint32Array(16)
  let linkCount = 0
  let data: Uint8Array | undefined
  let linksEnded = false
  while (cursor.at < bytes.length) {
    const { field, wire } = readKey(cursor)
    if (wire !== 2) throw new RangeError(`a field of wire type ${wire}`)
    const { start, length } = readSpan(cursor)
    if (field === 1) {
      if (data !== undefined) throw new RangeError('its data comes twice')
      data = bytes.subarray(start, start + length)
      linksEnded = linkCount > 0
    } else if (field === 2) {
      if (linksEnded) throw new RangeError('links before and after the data')
      if (linkCount * 4 === spans.length) {
        const larger = new Uint32Array(spans.length * 2)
        larger.set(spans)
        spans = larger
      }
      readLink({ bytes: bytes.subarray(0, start + length), at: start }, spans, linkCount * 4)
      linkCount++
    } else throw new RangeError(`an unknown field ${field}`)
  }
  return { cid, bytes, data, linkCount, spans }
}

function readLink(cursor: Cursor, spans: Uint32Array, to: number): void {
  let last = 0
  while (cursor.at < cursor.bytes.length) {
    const { field, wire } = readKey(cursor)
    if (field <= last || field > 3) throw new RangeError('the fields of a link are twice, unknown or out of order')
    last = field
    if (wire !== (field === 3 ? 0 : 2)) throw new RangeError(`a field of wire type ${wire}`)
    if (field === 3) {
      readVarint64(cursor)
      continue
    }
    const { start, length } = readSpan(cursor)
    spans[to + (field - 1) * 2] = start
    spans[to + (field - 1) * 2 + 1] = length
  }
  if (spans[to + 1] === 0) throw new RangeError('a link without a CID')
}
