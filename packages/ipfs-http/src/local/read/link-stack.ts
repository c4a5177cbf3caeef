import { CID } from 'multiformats/cid'
import { codecCodes, decodeBlock, linksIn } from '../../codecs.ts'
import { IpfsError } from '../../error.ts'
import { identityBytes, isIdentity } from '../../unixfs/identity.ts'
import { linkBytes, parsePb } from '../../unixfs/pb-node.ts'

const leafCodecs: ReadonlySet<number> = new Set([codecCodes.raw, codecCodes.cbor, codecCodes.json])

/** Whether blocks of a codec can have no links, so that a walk need not read them. */
export function isLeafCodec(code: number): boolean {
  return leafCodecs.has(code)
}

/** Reads the links of a block in their order, each as the bytes of its CID. @throws IpfsError `bad_content`, `unsupported` */
export function linksOf(cid: CID, bytes: Uint8Array): readonly Uint8Array[] {
  if (isLeafCodec(cid.code)) return []
  if (cid.code !== codecCodes.dagPb) return Array.from(linksIn(decodeBlock(cid, bytes)), (link) => link.bytes)
  const node = parsePb(cid, bytes)
  return Array.from({ length: node.linkCount }, (_, index) => linkBytes(node, index))
}

/**
 * Reads the links of a block to other blocks. An identity CID is no other block: the links within it take its place.
 * @throws IpfsError `bad_content`, `unsupported`
 */
export function blockLinksOf(cid: CID, bytes: Uint8Array): readonly Uint8Array[] {
  const links = linksOf(cid, bytes)
  if (!links.some(mayBeIdentity)) return links
  return links.flatMap((link) => {
    const within = mayBeIdentity(link) ? decodeLink(link, cid) : undefined
    if (within === undefined || !isIdentity(within)) return [link]
    return blockLinksOf(within, identityBytes(within))
  })
}

/** Whether a link may be an identity CID, whose codec has one byte or two. */
function mayBeIdentity(link: Uint8Array): boolean {
  return link[0] === 1 && (link[2] === 0 || link[3] === 0)
}

/** The parts of a CID that tell the block, and how to read it. */
export interface LinkTarget {
  readonly code: number
  readonly multihash: Uint8Array
}

/** Reads the target of a link of `parent`. Does not parse links of the usual form, of which a collection meets millions. @throws IpfsError `bad_content` */
export function targetOf(link: Uint8Array, parent: CID): LinkTarget {
  const [first, second = 0, third, fourth] = link
  if (link.length === 34 && first === 0x12 && second === 32) return { code: codecCodes.dagPb, multihash: link }
  if (link.length === 36 && first === 1 && second < 0x80 && third === 0x12 && fourth === 32) {
    return { code: second, multihash: link.subarray(2) }
  }
  const { code, multihash } = decodeLink(link, parent)
  return { code, multihash: multihash.bytes }
}

function decodeLink(link: Uint8Array, parent: CID): CID {
  try {
    return CID.decode(link)
  } catch (cause) {
    throw new IpfsError('bad_content', `a link of block ${parent} is no CID`, { cause })
  }
}

/** Links that are yet to be walked, depth first, at about 40 bytes each. */
export interface LinkStack {
  readonly isEmpty: boolean
  /** Adds links, the first of them on top. @throws IpfsError `too_large` beyond the most bytes of links */
  push(parent: CID, links: readonly Uint8Array[]): void
  /** Takes the link on top. @throws IpfsError `bad_content` if it is no CID */
  pop(): CID | undefined
  /** Reads the links that `pop` will give next: at most `count`, and only those of the block that was pushed last. */
  peek(count: number): readonly CID[]
  /** Whether `pop` will give this link, as far as is known. */
  includes(cid: CID): boolean
}

interface Frame {
  readonly parent: CID
  /** CIDs one after the other, before each its length in four bytes. */
  readonly packed: Uint8Array
  at: number
}

/** Most bytes of links that one walk may hold. */
const mostLinkBytes = 64 * 2 ** 20

export function createLinkStack(mostBytes: number = mostLinkBytes): LinkStack {
  const frames: Frame[] = []
  let held = 0

  const read = ({ packed, parent }: Frame, at: number): { readonly cid: CID; readonly next: number } => {
    const start = at + 4
    const next = start + new DataView(packed.buffer).getUint32(at)
    return { cid: decodeLink(packed.subarray(start, next), parent), next }
  }

  const drop = (): void => {
    const frame = frames.at(-1)
    if (frame === undefined || frame.at < frame.packed.length) return
    held -= frame.packed.length
    frames.pop()
  }

  return {
    get isEmpty() {
      return frames.length === 0
    },
    push(parent, links) {
      if (links.length === 0) return
      const packed = pack(links)
      held += packed.length
      if (held > mostBytes) {
        throw new IpfsError('too_large', `the blocks above ${parent} have more links than can be walked at once`)
      }
      frames.push({ parent, packed, at: 0 })
    },
    pop() {
      const frame = frames.at(-1)
      if (frame === undefined) return undefined
      const { cid, next } = read(frame, frame.at)
      frame.at = next
      drop()
      return cid
    },
    peek(count) {
      const frame = frames.at(-1)
      const found: CID[] = []
      if (frame === undefined) return found
      for (let at = frame.at; at < frame.packed.length && found.length < count;) {
        const { cid, next } = read(frame, at)
        found.push(cid)
        at = next
      }
      return found
    },
    includes({ bytes }) {
      // Backwards, because walks ask for links that come soon.
      return frames.findLast((frame) => holds(frame, bytes)) !== undefined
    },
  }
}

function holds({ packed, at }: Frame, cid: Uint8Array): boolean {
  const view = new DataView(packed.buffer)
  const last = cid.at(-1)
  for (let start = at; start < packed.length;) {
    const length = view.getUint32(start)
    const end = start + 4 + length
    // The last byte first: nearly all differ there, and there may be ten thousands.
    if (length === cid.length && packed[end - 1] === last && Buffer.compare(packed.subarray(start + 4, end), cid) === 0)
      return true
    start = end
  }
  return false
}

function pack(links: readonly Uint8Array[]): Uint8Array {
  const packed = new Uint8Array(links.reduce((sum, { length }) => sum + 4 + length, 0))
  const view = new DataView(packed.buffer)
  let at = 0
  for (const link of links) {
    view.setUint32(at, link.length)
    packed.set(link, at + 4)
    at += 4 + link.length
  }
  return packed
}
