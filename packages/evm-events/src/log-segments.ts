import {
  type ByteAccount,
  CallContext,
  type RawJson,
  type RpcContext,
  RpcError,
  type RpcFork,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { attemptMs, backOffMs, pause } from './ask-once.ts'
import { withoutBrackets } from './log-array.ts'
import { isPassing } from './log-failures.ts'
import { blockAt, type RangeEnds } from './one-node.ts'
import type { QuestionShare } from './question-share.ts'
import { createSegmentReader, type SegmentReaderOptions } from './segment-reader.ts'
import { createSegmentSize, type LogRangeLimits } from './segment-size.ts'
import { createLeastTrust } from './trust.ts'

/** Logs of a part of a range, both ends included. */
export interface LogSegment {
  readonly fromBlock: number
  readonly toBlock: number
  /** The hash of the last block up to `toBlock` on the chain of the answer; undefined where it is too old to be replaced. */
  readonly toHash: string | undefined
}

export interface LogSegmentsOptions extends SegmentReaderOptions {
  /** Its cancellation ends all questions; its deadline holds for each until {@link LogSegments.begun} is called. */
  readonly context: RpcContext
  readonly fromBlock: number
  readonly toBlock: number
  /** The chain that the range has to be of, as far as it is known. */
  readonly ends?: Partial<RangeEnds> | undefined
  /** The most blocks of a segment where nothing is known of the nodes. */
  readonly firstBlocks: number
  readonly maxSegmentBlocks: number
  readonly alignedIn: number | undefined
  readonly concurrency: number
  readonly share: QuestionShare | undefined
  readonly aimBytes: number
  /** Pays for each answer until it is given, and then until {@link LogSegments.give} is called. */
  readonly account: ByteAccount | undefined
  readonly limits: LogRangeLimits | undefined
  /** Asked before fewer blocks are tried after a failure without a word of the range. */
  readonly mayTryParts?: (() => boolean) | undefined
  readonly check: ((segment: LogSegment, logs: RawJson, context: RpcContext) => Promise<void>) | undefined
}

/** Gives the logs of the parts of a range in order, each as the bytes within its array. */
export interface LogSegments {
  /** Undefined after the last. @throws RpcError; {@link ReplacedError} where a reorg took blocks away whose logs were given */
  next(): Promise<readonly Uint8Array[] | undefined>
  /** The least trust in the segments given so far; undefined where none is told, or none was given. */
  readonly trust: number | undefined
  /** Gives back the bytes that were paid for the segments given so far: they are held no more. */
  give(): void
  /** Takes note that the answer to the caller has begun: from here on, each question has a deadline of its own. */
  begun(): void
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
  readonly bytes: number
  readonly inner: readonly Uint8Array[]
  readonly ends: RangeEnds | undefined
  readonly trust: number | undefined
}

/** Fewer blocks have to be asked for. */
interface Refusal {
  readonly blocks: number
}

/** A block whose logs were given is not on the chain any more. */
export class ReplacedError extends RpcError {}

const mostAttempts = 3
/** The part of the caller's time that a segment of several blocks may take: if it hangs, fewer blocks need some, too. */
const partOfTime = 1 / 2
/** How often one segment may be asked for again because of a reorg. */
const mostReorgs = 8

/** Starts to read the logs of a range, `concurrency` segments at a time; no more are held. */
export function createLogSegments(options: LogSegmentsOptions): LogSegments {
  const { ask, clock, fromBlock, toBlock, concurrency, share, account, check, ends: known } = options
  const { tenant } = options.context
  // The caller's deadline ends with the first byte that it is given, that of a fork would not.
  const context = new CallContext({
    clock,
    deadline: Number.POSITIVE_INFINITY,
    acceptStream: true,
    untimed: true,
    tenant,
  })
  const maxBlocks = Math.min(toBlock - fromBlock + 1, options.maxSegmentBlocks)
  const reader = createSegmentReader(options)
  const size = createSegmentSize({ ...options, context, maxBlocks })
  let isBegun = false
  /** The most blocks that a node has answered for, and the questions in flight for more: one beside the next part, as nodes may refuse them. */
  let answered = 0
  let trials = 0
  /** Questions in flight that hold nothing of the share: one, and another one where the next part could not wait. */
  let unshared = 0
  /** Bytes that are paid for. */
  let held = 0
  let given = 0
  const parts: Part[] = [{ from: fromBlock, to: toBlock, read: undefined }]
  /** The last part that was given, where it could still be replaced. */
  let last: { readonly number: number; readonly hash: string } | undefined
  if (known?.parentHash !== undefined) last = { number: fromBlock - 1, hash: known.parentHash }
  const trusted = createLeastTrust()
  let forget = (): void => {}

  function fillUp(): void {
    let reading = parts.reduce((sum, { read }) => sum + (read === undefined ? 0 : 1), 0)
    // The first one shows how long answers are.
    const mostReading = answered > 0 ? concurrency : 1
    for (let i = 0; i < parts.length && (i === 0 || reading < mostReading); i++) {
      const part = parts[i]!
      if (part.read !== undefined) continue
      const { from, to } = part
      const blocks = Math.min(
        size.next(from, () => reader.question(from, to)),
        to - from + 1,
      )
      if (blocks > answered && trials > 0 && i > 0) return
      const isExtra = unshared > 0 && share?.take(tenant, 1) !== false
      // The part that is next goes on, whatever the share holds.
      if (unshared > 0 && !isExtra && i > 0) return
      cut(part, blocks)
      start(part, isExtra, blocks > answered)
      reading++
    }
  }

  /** Leaves so many blocks in a part, and the others to one that follows it. */
  function cut(part: Part, blocks: number): void {
    const { from, to } = part
    if (from + blocks > to) return
    part.to = from + blocks - 1
    parts.splice(parts.indexOf(part) + 1, 0, { from: from + blocks, to, read: undefined })
  }

  function start(part: Part, isExtra: boolean, isTrial: boolean): void {
    if (!isExtra) unshared++
    if (isTrial) trials++
    const read = readPart(part)
    part.read = read
    const over = (): void => {
      if (isExtra) share?.give(tenant, 1)
      else unshared--
      if (isTrial) trials--
    }
    // It is awaited when its turn comes.
    read.then((outcome) => {
      over()
      if (context.cancelled !== undefined) return
      if ('blocks' in outcome && part.read === read) {
        cut(part, outcome.blocks)
        part.read = undefined
      }
      fillUp()
    }, over)
  }

  async function readPart({ from, to }: Part): Promise<Answer | Refusal> {
    const blocks = to - from + 1
    for (let attempt = 1; ; attempt++) {
      let why: RpcError
      const { context: within, release } = attemptOf(blocks === 1 ? 1 : partOfTime)
      try {
        const { logs, ends, trust } = await reader.read(from, to, within)
        const inner = withoutBrackets(logs)
        await check?.({ fromBlock: from, toBlock: to, toHash: ends?.toHash }, logs, within)
        const bytes = logs.byteLength
        if (context.cancelled !== undefined) throw context.cancelled
        if (account?.take(bytes) === false) throw account.refusal()
        held += bytes
        answered = Math.max(answered, blocks)
        size.passed(blocks, bytes)
        return { inner, ends, trust, bytes }
      } catch (thrown) {
        why = toRpcError(thrown, 'invalid_response', 'the logs were not verified')
      } finally {
        release()
      }
      if (context.cancelled !== undefined) throw context.cancelled
      const fewer = size.failed(blocks, why)
      if (fewer !== undefined) return { blocks: fewer }
      if (attempt >= mostAttempts || !isPassing(why)) throw why
      await pause(backOffMs(attempt + 1), clock, context)
      if (context.cancelled !== undefined) throw context.cancelled
    }
  }

  /** `part`: the part of the caller's time that it may take. */
  function attemptOf(part: number): RpcFork<RpcContext> {
    const now = clock.now()
    const leftMs = isBegun ? Number.POSITIVE_INFINITY : (options.context.deadline - now) * part
    return context.fork({ deadline: now + Math.min(attemptMs, leftMs) })
  }

  /** Tells whether an answer and those given before are of the chain as it is. */
  async function stands(part: Part, { ends }: Answer): Promise<boolean> {
    if (ends === undefined) return true
    const before = last
    const { context: within, release } = attemptOf(1)
    const [own, seam] = await Promise.all([
      blockAt(ask, part.to, options.head, clock, within),
      before === undefined ? undefined : blockAt(ask, before.number, options.head, clock, within),
    ]).finally(release)
    if (seam?.hash !== before?.hash) throw new ReplacedError('unavailable', `a reorg replaced block ${before!.number}`)
    if (part.to === toBlock && own.hash !== (known?.toHash ?? own.hash))
      throw new ReplacedError('unavailable', `a reorg replaced block ${toBlock}`)
    if (own.hash !== ends.toHash || (before !== undefined && before.hash !== ends.parentHash)) return false
    last = { number: part.to, hash: own.hash }
    return true
  }

  async function next(): Promise<readonly Uint8Array[] | undefined> {
    for (let reorgs = 0; ;) {
      if (context.cancelled !== undefined) throw context.cancelled
      fillUp()
      const [part] = parts
      if (part === undefined) {
        forget()
        return undefined
      }
      const outcome = await part.read!
      if ('blocks' in outcome) continue
      const isOfChain = await stands(part, outcome)
      if (context.cancelled !== undefined) throw context.cancelled
      if (isOfChain) {
        trusted.note(part, outcome.trust, isBegun)
        parts.shift()
        given += outcome.bytes
        return outcome.inner
      }
      if (++reorgs > mostReorgs) throw new RpcError('unavailable', `block ${part.to} is replaced again and again`)
      giveBack(outcome.bytes)
      start(part, false, false)
    }
  }

  forget = options.context.onCancel(stop)

  return {
    next() {
      return next().catch((thrown: unknown) => {
        const why = toRpcError(thrown, 'unavailable', 'the logs could not be read')
        stop(why)
        throw why
      })
    },
    get trust() {
      return trusted.least
    },
    give() {
      giveBack(given)
      given = 0
    },
    begun() {
      isBegun = true
    },
    cancel: stop,
  }

  function giveBack(bytes: number): void {
    held -= bytes
    account?.give(bytes)
  }

  function stop(why: RpcError): void {
    forget()
    parts.length = 0
    given = 0
    giveBack(held)
    context.cancel(why)
  }
}
