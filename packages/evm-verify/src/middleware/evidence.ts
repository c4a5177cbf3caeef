import {
  type Block,
  type BlockTag,
  type Hash,
  hashSchema,
  printQuantity,
  type Quantity,
  quantitySchema,
} from '@wayleave/evm-types'
import {
  type RawJson,
  rawJsonFromValue,
  type RpcContext,
  RpcError,
  type RpcHandler,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { describeValue } from '@wayleave/jsonrpc-core/schema'
import { assertMember } from '../assert-member.ts'
import type { Anchor, AnchorKind, HashAnchor, QuorumAnchor } from '../anchor.ts'
import { VerifyError } from '../error.ts'
import { headerHash } from '../header-hash.ts'
import { type Header, headerMembers } from '../header-members.ts'
import { isRecord, isSameHex } from '../refusal.ts'
import { askedBlock } from './asked.ts'
import { giveAnchor, unproven } from './finding.ts'
import type { HeaderCache } from './header-cache.ts'
import { heldAnswer } from './held-answer.ts'
import type { Judge } from './judge.ts'
import { quorumHash, quorumHeight, type Voter } from './quorum.ts'

/** A header whose hash was found right, and the source of trust in that hash. */
export interface KnownHeader {
  readonly hash: Hash
  readonly header: Header
  readonly anchor: AnchorKind
}

/** Fetches the parts of proofs for one call, within its bounds. All methods but `fetch` verify their results. */
export interface Evidence {
  readonly isAnchored: boolean
  /** The endpoint's own, unverified value. @throws VerifyError `unproven` if it answers an error or null. */
  fetch(method: string, params: readonly unknown[]): Promise<unknown>
  /** The header of the block that a parameter names. @throws VerifyError `unproven`, `mismatch` */
  block(parameter: unknown): Promise<KnownHeader>
  /** A block with all its transactions, their root proven. @throws VerifyError */
  contents(hash: Hash): Promise<Block>
  /** The headers from `top` down to a height, `top` first. @throws VerifyError */
  lineage(top: KnownHeader, downTo: bigint): Promise<KnownHeader[]>
}

interface EvidenceOptions {
  readonly next: RpcHandler
  readonly context: RpcContext
  readonly anchor: Anchor | undefined
  readonly headers: HeaderCache
  readonly judge: Judge
  /** The most calls, including those to endpoints of a quorum. */
  readonly maxCalls: number
  /** The most bytes of all answers together. */
  readonly maxBytes: number
}

/** The number of ancestors requested at once. */
const stride = 16n
/** Longest block with transaction hashes, in bytes. Answers of a quorum have no other bound. */
const longestBrief = 1024 * 1024

/** Gathers evidence for one call. */
export function createEvidence(options: EvidenceOptions): Evidence {
  const { next, context, anchor, headers, judge, maxCalls, maxBytes } = options
  let callsLeft = maxCalls
  let bytesLeft = maxBytes

  async function ask(handler: RpcHandler, method: string, params: readonly unknown[], cap: number): Promise<RawJson> {
    if (--callsLeft < 0) throw unproven(`the proof takes more than ${maxCalls} calls`)
    const response = await handler({ method, params: rawJsonFromValue(params), notification: false }, context)
    if (response.error === undefined) return heldAnswer(response, cap)
    throw unproven(`${method}, which the proof takes, was answered by error ${response.error.code}`)
  }

  async function fetch(method: string, params: readonly unknown[], cap: number = bytesLeft): Promise<unknown> {
    const result = await ask(next, method, params, Math.min(cap, bytesLeft))
    bytesLeft -= result.byteLength
    if (bytesLeft < 0) throw new RpcError('too_large', `the proof is longer than ${maxBytes} bytes`)
    const value = result.value()
    judge.noteLength(value, result.byteLength)
    if (value === null) throw unproven(`${method}, which the proof takes, was answered by null`)
    return value
  }

  async function headerOf(hash: Hash): Promise<Header> {
    return headers.get(hash) ?? keep(hash, await fetch('eth_getBlockByHash', [hash, false], longestBrief))
  }

  /** Checks the hash of a header and keeps it. */
  function keep(hash: Hash, reported: unknown): Header {
    const header = asHeader(reported)
    const received = headerHash(header)
    if (!isSameHex(received, hash)) {
      throw new VerifyError('mismatch', 'hash', `the block of hash ${hash} was asked for, and one of ${received} came`)
    }
    headers.set(hash, header)
    return header
  }

  async function contents(hash: Hash): Promise<Block> {
    // No proof needs the size of a block, and nodes do not agree on it.
    const answer = asBlock(await fetch('eth_getBlockByHash', [hash, true]))
    const { size: _, ...reported } = answer
    const expected = { hash, fullTransactions: true }
    const verdict = await judge.judge({ check: 'block', answer: reported, expected }, answer)
    if (verdict.ok === undefined) throw unproven(verdict.reason)
    if (!verdict.ok) throw new VerifyError('mismatch', verdict.field, `block ${hash}: ${verdict.reason}`)
    headers.set(hash, asHeader(reported))
    return reported
  }

  async function lineage(top: KnownHeader, downTo: bigint): Promise<KnownHeader[]> {
    const heights = BigInt(top.header.number!) - downTo
    if (heights >= BigInt(maxCalls)) throw unproven(`${heights} blocks lie between, more than ${maxCalls} calls give`)
    const line = [top]
    let ahead = new Map<string, Header>()
    for (let height = BigInt(top.header.number!); height > downTo;) {
      const hash = line.at(-1)!.header.parentHash
      if (headers.get(hash) === undefined && !ahead.has(hash.toLowerCase())) ahead = await fetchAhead(height, downTo)
      const header = headers.get(hash) ?? ahead.get(hash.toLowerCase()) ?? (await headerOf(hash))
      headers.set(hash, header)
      const number = BigInt(header.number!)
      if (number >= height)
        throw new VerifyError('mismatch', 'number', `the parent of block ${height} is block ${number}`)
      // No block was made at the lowest height.
      if (number < downTo) break
      line.push({ hash, header, anchor: top.anchor })
      height = number
    }
    return line
  }

  /** Fetches headers below `height` by number. One that has the right hash is as good as one fetched by hash. */
  async function fetchAhead(height: bigint, downTo: bigint): Promise<Map<string, Header>> {
    const count = height - downTo < stride ? height - downTo : stride
    const numbers = Array.from({ length: Number(count) }, (_, i) => printQuantity(height - 1n - BigInt(i)))
    // At some heights no block may have been made.
    const blocks = await Promise.all(
      numbers.map((number) => fetch('eth_getBlockByNumber', [number, false], longestBrief).catch(() => undefined)),
    )
    const made = blocks.filter((reported) => reported !== undefined)
    return new Map(made.map(asHeader).map((header) => [headerHash(header), header]))
  }

  async function numberOf(tag: BlockTag): Promise<Quantity> {
    const { number } = asHeader(await fetch('eth_getBlockByNumber', [tag, false], longestBrief))
    assertMember<Quantity>(quantitySchema, number, 'number')
    return number
  }

  async function blockByHashAnchor(
    { blockHash }: HashAnchor,
    number: Quantity | undefined,
    tag: BlockTag | undefined,
  ): Promise<KnownHeader> {
    const hash = typeof blockHash === 'string' ? blockHash : await vouchedFor(blockHash)
    if (hashSchema.check(hash, '') !== undefined) throw unproven('the anchor gives no block hash')
    const top: KnownHeader = { hash, header: await headerOf(hash), anchor: 'hash' }
    if (tag === 'latest' && typeof blockHash !== 'string') return top
    const height = BigInt(number ?? (await numberOf(tag!)))
    if (height > BigInt(top.header.number!)) {
      throw unproven(`block ${height} is newer than the trusted block ${BigInt(top.header.number!)}`)
    }
    const lowest = (await lineage(top, height)).at(-1)!
    if (BigInt(lowest.header.number!) !== height) throw unproven(`no block was made at height ${height}`)
    return lowest
  }

  /** Calls the caller's own function, and waits no longer than the call. */
  async function vouchedFor(blockHash: () => Hash | Promise<Hash>): Promise<Hash> {
    let forget: (() => void) | undefined
    const cancelled = new Promise<never>((_, reject) => {
      forget = context.onCancel(reject)
    })
    try {
      return await Promise.race([cancelled, blockHash()])
    } catch (thrown) {
      throw toRpcError(thrown, 'unavailable', 'the anchor gives no block hash')
    } finally {
      forget?.()
    }
  }

  async function block(parameter: unknown): Promise<KnownHeader> {
    const { hash, number: given, tag } = askedBlock(parameter)
    // A pruned node may call another block the earliest, which cannot be verified; here it is the first block.
    const number = tag === 'earliest' ? '0x0' : given
    if (hash !== undefined) return { hash, header: await headerOf(hash), anchor: 'question' }
    if (tag === 'pending') throw unproven('the pending block has no hash to prove it by')
    if (anchor === undefined) {
      throw unproven(`nothing vouches for the block: name it by its hash, or ${giveAnchor}`)
    }
    return 'blockHash' in anchor ? blockByHashAnchor(anchor, number, tag) : blockByQuorum(anchor, number, tag)
  }

  async function blockByQuorum(
    { quorum: { handlers, atLeast } }: QuorumAnchor,
    number: Quantity | undefined,
    tag: BlockTag | undefined,
  ): Promise<KnownHeader> {
    const voters = handlers.map((voter): Voter => {
      return async (name) => (await ask(voter, 'eth_getBlockByNumber', [name, false], longestBrief)).value()
    })
    const height = number ?? (await quorumHeight(voters, atLeast, tag!))
    const agreed = await quorumHash(voters, atLeast, height)
    const header = await headerOf(agreed)
    if (isSameHex(header.number, height)) return { hash: agreed, header, anchor: 'quorum' }
    throw new VerifyError('mismatch', 'number', `block ${agreed} has number ${header.number}, not ${height}`)
  }

  return { isAnchored: anchor !== undefined, fetch, block, contents, lineage }
}

/** Keeps only the header's members: its hash proves no others. */
function asHeader(reported: unknown): Header {
  const block = asBlock(reported)
  return Object.fromEntries(headerMembers.map(({ name }) => [name, block[name as keyof Block]])) as unknown as Header
}

function asBlock(reported: unknown): Block {
  if (isRecord(reported)) return reported as unknown as Block
  throw new VerifyError('malformed', '', `expected a block, got ${describeValue(reported)}`)
}
