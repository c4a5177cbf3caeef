import { cutParts, type RawJson, rawJsonFromText, RpcError } from '@wayleave/jsonrpc-core'
import type { MatchedLog } from './log-filter.ts'

/** A log of a block, with the node's bytes. */
export interface StreamLog extends MatchedLog {
  readonly raw: RawJson
  /** The same with `removed: true`, made once. */
  removed(): RawJson
}

/** A receipt of a block, with the node's bytes. */
export interface StreamReceipt {
  /** In lower case. */
  readonly transactionHash: string
  readonly raw: RawJson
}

/** The members that are read of a log or a receipt. */
interface Reported {
  readonly address?: unknown
  readonly topics?: unknown
  readonly blockHash?: unknown
  readonly logIndex?: unknown
  readonly transactionHash?: unknown
  readonly logs?: unknown
}

/**
 * Reads the logs of one block from an answer to `eth_getLogs`.
 * @throws RpcError `invalid_response` where it is none, a log is of another block, or they are out of order
 */
export function readLogs(answer: RawJson, blockHash: string): StreamLog[] {
  return ordered(logsIn(answer.text(), arrayOf(answer.value(), 'logs'), blockHash))
}

/**
 * Reads the receipts of one block from an answer to `eth_getBlockReceipts`, and the logs in them.
 * @throws RpcError `invalid_response` where it is none, a receipt or a log is of another block, or logs are out of order
 */
export function readReceipts(answer: RawJson, blockHash: string): { receipts: StreamReceipt[]; logs: StreamLog[] } {
  const reported = arrayOf(answer.value(), 'receipts')
  const logs: IndexedLog[] = []
  const receipts = partsOf(answer.text()).map((text, i): StreamReceipt => {
    const { transactionHash, blockHash: of, logs: own } = Object(reported[i]) as Reported
    if (typeof transactionHash !== 'string' || !isSame(of, blockHash)) throw refusal('a receipt of the block')
    logs.push(...logsIn(membersOf(text).get('logs') ?? '', arrayOf(own, 'logs'), blockHash))
    return { transactionHash: transactionHash.toLowerCase(), raw: rawJsonFromText(text) }
  })
  return { receipts, logs: ordered(logs) }
}

/** Prints receipts as one array. */
export function arrayOfReceipts(receipts: readonly StreamReceipt[]): RawJson {
  return rawJsonFromText(`[${receipts.map(({ raw }) => raw.text()).join(',')}]`)
}

/** The log with a text of its own, so that it does not keep the whole answer in memory. */
export function detachedLog({ address, topics, raw }: StreamLog): StreamLog {
  return createStreamLog(ownText(raw.text()), ownText(address), topics.map(ownText))
}

interface IndexedLog {
  readonly index: number
  readonly log: StreamLog
}

function logsIn(text: string, reported: readonly unknown[], block: string): IndexedLog[] {
  return partsOf(text).map((part, i) => {
    const { address, topics, blockHash, logIndex } = Object(reported[i]) as Reported
    const isLog = typeof address === 'string' && Array.isArray(topics) && topics.every((one) => typeof one === 'string')
    if (!isLog || !isSame(blockHash, block) || typeof logIndex !== 'string') throw refusal('a log of the block')
    const log = createStreamLog(
      part,
      address.toLowerCase(),
      (topics as string[]).map((one) => one.toLowerCase()),
    )
    return { index: Number(logIndex), log }
  })
}

function ordered(logs: readonly IndexedLog[]): StreamLog[] {
  // Negated, as an index that is not a number compares to nothing.
  const isOrdered = logs.every(({ index }, i) => index > (logs[i - 1]?.index ?? -1))
  if (!isOrdered) throw refusal('ascending log indexes')
  return logs.map(({ log }) => log)
}

function createStreamLog(text: string, address: string, topics: readonly string[]): StreamLog {
  let removed: RawJson | undefined
  return {
    address,
    topics,
    raw: rawJsonFromText(text),
    removed: () => (removed ??= rawJsonFromText(removedText(text))),
  }
}

function removedText(text: string): string {
  const members = membersOf(text)
  members.set('removed', 'true')
  return `{${Array.from(members, ([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`
}

function membersOf(object: string): Map<string, string> {
  const members = new Map<string, string>()
  cutParts(object, 0, (start, end, key) => members.set(key, object.slice(start, end)))
  return members
}

function partsOf(array: string): string[] {
  const parts: string[] = []
  cutParts(array, array.indexOf('['), (start, end) => parts.push(array.slice(start, end)))
  return parts
}

function arrayOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw refusal(`an array of ${what}`)
  return value as unknown[]
}

function isSame(hash: unknown, expected: string): boolean {
  return typeof hash === 'string' && hash.toLowerCase() === expected
}

function refusal(expected: string): RpcError {
  return new RpcError('invalid_response', `expected ${expected}, got something else`)
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Copies a text: a part of a string may hold on to the whole. */
function ownText(text: string): string {
  return decoder.decode(encoder.encode(text))
}
