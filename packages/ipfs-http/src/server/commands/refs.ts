import { CID } from 'multiformats/cid'
import { codecCodes } from '../../codec-codes.ts'
import { IpfsError } from '../../error.ts'
import type { DigestSet } from '../../local/digest-set.ts'
import { linksOf } from '../../local/read/link-stack.ts'
import { linkCid, linkName, parsePb } from '../../unixfs/pb-node.ts'
import { lines } from '../answers.ts'
import type { Call, Command } from '../call.ts'
import { cidAt, cidWriter } from '../ipfs-path.ts'
import { blocksOf, metBlocks } from '../walk.ts'

const mostDepth = 512
/** Most bytes of blocks that are open above the present one. */
const mostOpenBytes = 64 * 2 ** 20

interface Plan {
  readonly isUnique: boolean
  /** Levels below the root; -1: all. */
  readonly depth: number
  readonly print: (from: CID, to: CID, name: string) => string
}

/** `POST /api/v0/refs`: the links of blocks. Source: Kubo `core/commands/refs.go`. */
export const refs: Command = {
  argument: 'ipfs-path',
  bodyArguments: true,
  options: { edges: 'bool', format: 'string', 'max-depth': 'int', recursive: 'bool', unique: 'bool' },
  short: { e: 'edges', r: 'recursive', u: 'unique' },
  async run(call) {
    const { options } = call
    const format = options.string('format') ?? '<dst>'
    const isEdges = options.bool('edges') === true
    if (isEdges && format !== '<dst>') {
      throw new IpfsError('bad_argument', 'using format argument with edges is not allowed')
    }
    const write = cidWriter(options)
    const pattern = isEdges ? '<src> -> <dst>' : format === '' ? '<dst>' : format
    const plan: Plan = {
      isUnique: options.bool('unique') === true,
      depth: options.bool('recursive') === true ? Number(options.int('max-depth') ?? -1n) : 1,
      print: (from, to, name) =>
        (
          [
            ['<src>', write(from)],
            ['<dst>', write(to)],
            ['<linkname>', name],
          ] as const
        ).reduce((text, [token, value]) => text.replaceAll(token, () => value), pattern),
    }
    const roots: CID[] = []
    for (const text of options.args) roots.push(await cidAt(call, text))
    return lines(refsOf(call, roots, plan), { eager: false })
  },
}

async function* refsOf(call: Call, roots: readonly CID[], plan: Plan): AsyncGenerator<object, void, undefined> {
  const met = metBlocks()
  for (const root of roots) {
    try {
      yield* refsBelow(call, root, plan, met)
    } catch (thrown) {
      if (call.signal.aborted || !(thrown instanceof IpfsError)) throw thrown
      yield { Ref: '', Err: thrown.message }
    }
  }
}

async function* refsBelow(
  call: Call,
  root: CID,
  { isUnique, depth: most, print }: Plan,
  met: DigestSet,
): AsyncGenerator<object, void, undefined> {
  const source = blocksOf(call)
  const levels = Math.min(most, mostDepth)
  const open: (Links & { readonly cid: CID; next: number })[] = []
  let openBytes = 0
  const enter = (cid: CID, bytes: Uint8Array): void => {
    openBytes += bytes.byteLength
    if (open.length === mostDepth || openBytes > mostOpenBytes) {
      throw new IpfsError('too_large', `more blocks lie above ${cid} than can be open at once`)
    }
    open.push({ ...linksAt(cid, bytes), cid, next: 0 })
  }
  /** Notes a link, and tells whether it is printed, and followed. As in Kubo, one met nearer to its root is followed no more. */
  const visit = (
    { multihash, code, version }: CID,
    depth: number,
  ): { readonly isReported: boolean; readonly isFollowed: boolean } => {
    if (most >= 0 && depth > most) return { isReported: false, isFollowed: false }
    const isFollowed = most < 0 || depth < most
    if (!isUnique) return { isReported: true, isFollowed }
    const level = (at: number): number => code + version * 2 ** 30 + (most < 0 ? 0 : at * 2 ** 16)
    let isReported = true
    for (let at = 1; at <= levels; at++) {
      if (!met.has(multihash.bytes, level(at))) continue
      if (at <= depth) return { isReported: false, isFollowed: false }
      isReported = false
    }
    return met.add(multihash.bytes, level(depth))
      ? { isReported, isFollowed }
      : { isReported: false, isFollowed: false }
  }
  enter(root, await source.get(root, call.signal))
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    if (top.next === top.count) {
      openBytes -= top.bytes
      open.pop()
      continue
    }
    const { cid, name } = top.at(top.next++)
    const { isReported, isFollowed } = visit(cid, open.length)
    if (!isReported && !isFollowed) continue
    // As in Kubo, only links to blocks that can be read are told.
    const bytes = await source.get(cid, call.signal)
    if (isReported) yield { Ref: print(top.cid, cid, name), Err: '' }
    if (isFollowed) enter(cid, bytes)
  }
}

/** The links of a block, decoded when they are asked for. */
interface Links {
  readonly bytes: number
  readonly count: number
  at(index: number): { readonly cid: CID; readonly name: string }
}

function linksAt(cid: CID, bytes: Uint8Array): Links {
  if (cid.code === codecCodes.dagPb) {
    const node = parsePb(cid, bytes)
    const at: Links['at'] = (index) => ({
      cid: linkCid(node, index),
      name: Buffer.from(linkName(node, index)).toString(),
    })
    return { bytes: bytes.byteLength, count: node.linkCount, at }
  }
  const links = linksOf(cid, bytes)
  return { bytes: bytes.byteLength, count: links.length, at: (index) => ({ cid: CID.decode(links[index]!), name: '' }) }
}
