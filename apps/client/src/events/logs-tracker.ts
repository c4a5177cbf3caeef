import { getLogs } from '@wayleave/evm-events'
import {
  type Clock,
  cutParts,
  type RawJson,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
} from '@wayleave/jsonrpc-core'
import { maxReorg } from './heads-tracker.ts'
import type { BlockPlace, Questions } from './questions.ts'
import type { Report, Tracker } from './tracker.ts'

/** A block whose logs were told. */
interface ReportedBlock extends BlockPlace {
  /** By log index, in the order in which they were told. */
  readonly logs: Map<string, RawJson>
  /** Whether no log of it is missing. */
  isWhole: boolean
  /** Whether it is older than the subscription. */
  readonly isBefore: boolean
}

interface LogMembers {
  readonly blockHash?: unknown
  readonly blockNumber?: unknown
  readonly logIndex?: unknown
  readonly removed?: unknown
}

const mostBlocks = 128
const mostLogs = 10_000
/** The blocks of one question. */
const rangeBlocks = 5_000
const rangeMs = 60_000

/** Follows `logs`: finds by the blocks whose logs were told which are missing, and which a reorg has taken back. */
export function createLogsTracker(questions: Questions, handler: RpcHandler, clock: Clock, filter: object): Tracker {
  /** Oldest first. */
  let reported: ReportedBlock[] = []
  let count = 0
  /** Below and at this height it is not known which logs were told. */
  let forgotten = -1
  /** The oldest block that was taken back, where none was left. */
  let oldest: BlockPlace | undefined

  function noteBlock(place: BlockPlace, isWhole: boolean, isBefore: boolean): ReportedBlock {
    const block = { number: place.number, hash: place.hash, logs: new Map<string, RawJson>(), isWhole, isBefore }
    reported.push(block)
    return block
  }

  function trim(): void {
    while (reported.length > 1 && (reported.length > mostBlocks || count > mostLogs)) {
      const { number, logs } = reported.shift()!
      count -= logs.size
      forgotten = Math.max(forgotten, number)
    }
  }

  function take(event: RawJson): readonly RawJson[] {
    const { blockHash, blockNumber, logIndex, removed } = Object(event.value()) as LogMembers
    if (typeof blockHash !== 'string' || typeof logIndex !== 'string') return [event]
    const hash = blockHash.toLowerCase()
    const number = Number(blockNumber)
    const block = reported.find((one) => one.hash === hash)
    if (removed === true) {
      if (block?.logs.delete(logIndex) === true) {
        count--
        if (block.logs.size === 0) reported = reported.filter((one) => one !== block)
        return [event]
      }
      return number <= forgotten ? [event] : []
    }
    if (block?.logs.has(logIndex) === true || block?.isBefore === true) return []
    const { logs } = block ?? noteBlock({ number, hash }, false, false)
    logs.set(logIndex, event)
    count++
    trim()
    return [event]
  }

  async function isCanonical({ number, hash }: BlockPlace): Promise<boolean> {
    if (number < 0) return true
    const block = await questions.upTo(number)
    if (block === undefined) throw new RpcError('unavailable', `the node has no block ${number}`)
    return block.hash === hash
  }

  /** The newest block on the chain whose logs were told, or from which on they were; those after it are taken back. */
  async function takeBack(report: Report): Promise<{ readonly from: number }> {
    while (reported.length > 0) {
      const block = reported.at(-1)!
      if (await isCanonical(block)) return { from: block.isWhole ? block.number + 1 : block.number }
      const logs = [...block.logs].toReversed()
      for (const [index, log] of logs) {
        block.logs.delete(index)
        count--
        await report(removedLog(log))
      }
      oldest = reported.pop()
    }
    if (oldest === undefined || forgotten >= 0) throw new RpcError('denied', 'no block that was told is known')
    return { from: (await ancestorOf(oldest)) + 1 }
  }

  async function ancestorOf({ number, hash }: BlockPlace): Promise<number> {
    let place: BlockPlace = { number, hash }
    for (let depth = 0; depth < maxReorg; depth++) {
      const block = await questions.byHash(place.hash)
      if (block === undefined) break
      place = { number: block.number - 1, hash: block.parentHash }
      if (await isCanonical(place)) return place.number
    }
    throw new RpcError('denied', `a reorg replaced block ${number}, and the node does not know it`)
  }

  async function reportLogs(fromBlock: number, toBlock: number, head: BlockPlace, report: Report): Promise<void> {
    const range = getLogs({ clock, headOf: () => head })(handler)
    const filtered = { ...filter, fromBlock: hex(fromBlock), toBlock: hex(toBlock) }
    const answer = await questions.ask('eth_getLogs', [filtered], { through: range, ms: rangeMs })
    if (!Array.isArray(answer.value())) throw new RpcError('invalid_response', 'eth_getLogs: expected an array')
    const text = answer.text()
    const logs: RawJson[] = []
    cutParts(text, text.indexOf('['), (start, end) => logs.push(rawJsonFromText(text.slice(start, end))))
    for (const log of logs) for (const event of take(log)) await report(event)
  }

  return {
    async begin(from) {
      const places = await questions.before(from)
      for (const place of places) noteBlock(place, true, true)
    },
    // A server that goes on from a place cannot be told from one that ignores the member.
    place: () => undefined,
    take,
    async fill(report) {
      for (;;) {
        const head = await questions.latest()
        const newest = reported.at(-1)
        if (newest !== undefined && head.number < newest.number)
          throw new RpcError('unavailable', `the node is at block ${head.number}, behind block ${newest.number}`)
        const { from } = await takeBack(report)
        for (let first = from; first <= head.number; first += rangeBlocks) {
          await reportLogs(first, Math.min(head.number, first + rangeBlocks - 1), head, report)
        }
        if (!(await isCanonical(head))) continue
        const end = reported.find(({ hash }) => hash === head.hash) ?? noteBlock(head, true, false)
        end.isWhole = true
        trim()
        return
      }
    },
    last: () => reported.at(-1),
    reset() {
      forgotten = Math.max(forgotten, reported.at(-1)?.number ?? -1)
      reported = []
      oldest = undefined
      count = 0
    },
  }
}

function removedLog(log: RawJson): RawJson {
  return rawJsonFromValue({ ...(log.value() as object), removed: true })
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}
