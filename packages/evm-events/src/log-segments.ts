import { classifyNodeError, type NodeErrorKind } from '@wayleave/evm-types'
import {
  type Clock,
  type RawJson,
  type RpcContext,
  RpcError,
  type RpcErrorObject,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { askOnce, attemptMs, backOffMs, pause } from './ask-once.ts'
import { streamBlockOf } from './block.ts'
import type { Ask } from './chain-source.ts'
import { withoutBrackets } from './log-array.ts'
import { rangeHintOf } from './range-hint.ts'

/** Logs of a part of a range, both ends included. */
export interface LogSegment {
  readonly fromBlock: number
  readonly toBlock: number
  /** The hash of `toBlock` on the chain of the answer; undefined where the block is too old to be replaced. */
  readonly toHash: string | undefined
}

/** Limits of the nodes, as they are learnt. */
export interface LogRangeLimits {
  /** The most blocks that nodes take for this filter; undefined: not known, so the whole range is asked for at once. */
  mostBlocks(filter: object): number | undefined
  /** Called when a node refused so many blocks, or gave too many bytes for them. */
  refused?(blocks: number, error: RpcError): void
  /** Called when so many blocks were answered. */
  passed?(blocks: number): void
}

export interface LogSegmentsOptions {
  readonly ask: Ask
  readonly clock: Clock
  readonly context: RpcContext
  readonly filter: object
  readonly fromBlock: number
  readonly toBlock: number
  /** Blocks up to here are never replaced. */
  readonly finalTo: number
  readonly concurrency: number
  readonly maxSegmentBytes: number
  readonly limits: LogRangeLimits | undefined
  readonly check: ((segment: LogSegment, logs: RawJson, context: RpcContext) => Promise<void>) | undefined
}

/** Gives the logs of the parts of a range in order, each as the bytes within its array. */
export interface LogSegments {
  /** Undefined after the last. @throws RpcError; {@link replaced} where a reorg took blocks away whose logs were given */
  next(): Promise<readonly Uint8Array[] | undefined>
  /** Stops all questions, and frees the answers. */
  cancel(why: RpcError): void
}

/** A part of the range, in order with the others; `read` is undefined while it waits. */
interface Part {
  from: number
  to: number
  read: Promise<Answer | Refusal> | undefined
}

interface Answer {
  readonly inner: readonly Uint8Array[]
  readonly toHash: string | undefined
}

/** Fewer blocks have to be asked for. */
interface Refusal {
  readonly blocks: number
}

/** A block whose logs were given is not on the chain any more. */
export class ReplacedError extends RpcError {}

/** The longest answer for a single block, in bytes: the logs that the gas of a large block pays for, in hex. */
const maxBlockBytes = 32 * 1_048_576
/** Segments are made to have about so many bytes, so that all nodes' answers stay small. */
const aimBytes = 2 * 1_048_576
const mostAttempts = 3
/** How often one segment may be asked for again because of a reorg. */
const mostReorgs = 8

const refusals = new Set<NodeErrorKind>(['range_too_large', 'response_too_large', 'timeout'])
const passing = new Set<NodeErrorKind>([
  'unavailable',
  'internal',
  'unknown_block',
  'state_unavailable',
  'rate_limited',
])
const lasting = new Set<RpcError['code']>(['aborted', 'denied', 'overloaded'])

/** Starts to read the logs of a range, `concurrency` segments at a time; no more are held. */
export function createLogSegments(options: LogSegmentsOptions): LogSegments {
  const { ask, clock, filter, fromBlock, toBlock, finalTo, concurrency, maxSegmentBytes, limits, check } = options
  const { context, cancel, release } = options.context.fork({ acceptStream: true })
  const known = limits?.mostBlocks(filter)
  /** The most blocks of a segment, by what nodes refused, and by the bytes that came last. */
  let most = Math.max(1, Math.min(known ?? Number.POSITIVE_INFINITY, toBlock - fromBlock + 1))
  let byBytes = Number.POSITIVE_INFINITY
  let hasPassed = false
  const parts: Part[] = [{ from: fromBlock, to: toBlock, read: undefined }]
  /** The last part that was given, where it could still be replaced. */
  let given: { readonly number: number; readonly hash: string } | undefined

  function fillUp(): void {
    let held = parts.reduce((sum, { read }) => sum + (read === undefined ? 0 : 1), 0)
    // The first one shows how long answers are.
    const mostHeld = hasPassed ? concurrency : 1
    for (let i = 0; i < parts.length && held < mostHeld; i++) {
      const part = parts[i]!
      if (part.read !== undefined) continue
      const end = Math.min(part.to, part.from + Math.min(most, byBytes) - 1)
      if (end < part.to) parts.splice(i + 1, 0, { from: end + 1, to: part.to, read: undefined })
      part.to = end
      start(part)
      held++
    }
  }

  function start(part: Part): void {
    const read = readPart(part)
    part.read = read
    // It is awaited when its turn comes.
    read.then(
      (outcome) => {
        if (!('blocks' in outcome) || part.read !== read) return
        most = Math.min(most, outcome.blocks)
        part.read = undefined
        if (context.cancelled === undefined) fillUp()
      },
      () => {},
    )
  }

  async function readPart({ from, to }: Part): Promise<Answer | Refusal> {
    const blocks = to - from + 1
    for (let attempt = 1; ; attempt++) {
      let why: RpcError
      const own = context.fork({ deadline: clock.now() + attemptMs })
      try {
        const toHash = to > finalTo ? await hashAt(to, own.context) : undefined
        const query = { ...filter, fromBlock: hex(from), toBlock: hex(to) }
        const cap = blocks === 1 ? Math.max(maxSegmentBytes, maxBlockBytes) : maxSegmentBytes
        const logs = await askOnce(ask, 'eth_getLogs', [query], own.context, cap)
        const inner = withoutBrackets(logs)
        await check?.({ fromBlock: from, toBlock: to, toHash }, logs, own.context)
        hasPassed = true
        limits?.passed?.(blocks)
        const isShort = logs.byteLength < aimBytes / 8
        byBytes = isShort ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor((aimBytes * blocks) / logs.byteLength))
        return { inner, toHash }
      } catch (thrown) {
        why = toRpcError(thrown, 'invalid_response', 'the logs were not verified')
      } finally {
        own.release()
      }
      if (context.cancelled !== undefined) throw context.cancelled
      const fewer = fewerBlocks(why, blocks)
      if (fewer !== undefined) {
        limits?.refused?.(blocks, why)
        return { blocks: fewer }
      }
      if (attempt >= mostAttempts || !isPassing(why)) throw why
      await pause(backOffMs(attempt + 1), clock, context)
      if (context.cancelled !== undefined) throw context.cancelled
    }
  }

  /** Gives the hash of the block at a height, asked for until a node has it. */
  async function hashAt(number: number, within: RpcContext): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      let why: RpcError
      try {
        const block = streamBlockOf(await askOnce(ask, 'eth_getBlockByNumber', [hex(number), false], within))
        if (block?.number === number) return block.hash
        why = new RpcError('unavailable', `expected block ${number}, got another or none`)
      } catch (thrown) {
        why = toRpcError(thrown, 'unavailable', 'eth_getBlockByNumber: the handler failed')
      }
      if (within.cancelled !== undefined) throw within.cancelled
      if (attempt >= mostAttempts) throw new RpcError('unavailable', why.message, { cause: why })
      await pause(backOffMs(attempt + 1), clock, within)
    }
  }

  /** Tells whether an answer and those given before are of the chain as it is. */
  async function stands(part: Part, { toHash }: Answer): Promise<boolean> {
    if (toHash === undefined) return true
    const before = given
    const [own, seam] = await Promise.all([
      hashAt(part.to, context),
      before === undefined ? undefined : hashAt(before.number, context),
    ])
    if (seam !== before?.hash) throw new ReplacedError('unavailable', `a reorg replaced block ${before!.number}`)
    if (own !== toHash) return false
    given = { number: part.to, hash: own }
    return true
  }

  async function next(): Promise<readonly Uint8Array[] | undefined> {
    for (let reorgs = 0; ;) {
      if (context.cancelled !== undefined) throw context.cancelled
      fillUp()
      const [part] = parts
      if (part === undefined) {
        release()
        return undefined
      }
      const outcome = await part.read!
      if ('blocks' in outcome) continue
      if (await stands(part, outcome)) {
        if (context.cancelled !== undefined) throw context.cancelled
        parts.shift()
        return outcome.inner
      }
      if (++reorgs > mostReorgs) throw new RpcError('unavailable', `block ${part.to} is replaced again and again`)
      start(part)
    }
  }

  return {
    next() {
      return next().catch((thrown: unknown) => {
        const why = toRpcError(thrown, 'unavailable', 'the logs could not be read')
        stop(why)
        throw why
      })
    },
    cancel: stop,
  }

  function stop(why: RpcError): void {
    parts.length = 0
    cancel(why)
  }
}

function fewerBlocks(why: RpcError, blocks: number): number | undefined {
  if (blocks === 1) return undefined
  if (why.code === 'too_large') return Math.max(1, Math.floor(blocks / 8))
  const half = Math.floor(blocks / 2)
  if (why.code === 'timeout') return half
  if (why.code !== 'rpc' || why.rpc === undefined || !refusals.has(kindOf(why.rpc))) return undefined
  return rangeHintOf(why.rpc, blocks) ?? half
}

function isPassing({ code, rpc }: RpcError): boolean {
  if (code === 'rpc') return rpc !== undefined && passing.has(kindOf(rpc))
  return !lasting.has(code) && code !== 'too_large'
}

function kindOf(error: RpcErrorObject): NodeErrorKind {
  return classifyNodeError(error)
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}
