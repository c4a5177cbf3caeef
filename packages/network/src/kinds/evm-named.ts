import type { RawJson, RpcRequest } from '@wayleave/jsonrpc-core'
import type { AnswerLife } from '@wayleave/rpc-cache'
import { quantityOf } from './chain-of.ts'
import { canonicalHash } from './evm-canonical.ts'

type Members = Readonly<Record<string, unknown>>

/** An answer beside its question. */
interface Asked {
  readonly args: readonly unknown[]
  readonly life: AnswerLife
  /** Whether a block hashes to the hash that it gives itself. */
  readonly isHashed: (block: Members) => boolean
}

type Check = (value: unknown, asked: Asked) => boolean

/** Longest result of hex that is read as text, in bytes; a longer one is scanned. */
const longestText = 16_384
/** Longest block, receipt or list of logs that is parsed, in bytes: some 20 ms of the event loop. A longer one is not kept. */
const longestParsed = 2 ** 21
/** Longest trace that is parsed, in bytes. Of a longer one the first and the last byte decide. */
const longestTrace = 262_144

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isQuantity: Check = (value) => typeof value === 'string' && /^0x[\da-f]+$/i.test(value)
const isObject: Check = (value) => isMembers(value)
const isList: Check = (value) => Array.isArray(value)
const isHash = (value: unknown): boolean => canonicalHash(value) !== undefined

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : quantityOf(value))

/** Whether members that name a block by `hash` and `number` name the one that was asked for. */
function isBlock(hash: unknown, number: unknown, { life }: Asked): boolean {
  const height = numberOf(number)
  if (!isHash(hash) || height === undefined) return false
  if (life.of === 'block') return canonicalHash(hash) === life.hash
  return life.of !== 'numbers' || height <= life.to
}

/** Whether members of a transaction, receipt or log name the block that was asked for. */
const isIn = (members: Members, asked: Asked): boolean => isBlock(members['blockHash'], members['blockNumber'], asked)

const isHeader: Check = (value, asked) =>
  isMembers(value) &&
  isHash(value['parentHash']) &&
  isBlock(value['hash'], value['number'], asked) &&
  (asked.life.of !== 'numbers' || numberOf(value['number']) === asked.life.to) &&
  asked.isHashed(value)

const isWholeBlock: Check = (value, asked) => {
  if (!isMembers(value) || !Array.isArray(value['transactions'])) return false
  const isFull = asked.args[1] === true
  const { hash, number } = value
  const isOwn = (each: unknown, i: number): boolean => {
    if (!isFull) return isHash(each)
    if (!isMembers(each) || !isHash(each['hash'])) return false
    return (
      canonicalHash(each['blockHash']) === canonicalHash(hash) &&
      numberOf(each['blockNumber']) === numberOf(number) &&
      numberOf(each['transactionIndex']) === i
    )
  }
  return (value['transactions'] as readonly unknown[]).every(isOwn) && isHeader(value, asked)
}

const isUncle: Check = (value, { isHashed }) =>
  isMembers(value) && isHash(value['hash']) && numberOf(value['number']) !== undefined && isHashed(value)

const isAt = (members: Members, { args, life }: Asked): boolean =>
  numberOf(members['transactionIndex']) === numberOf(args[1]) &&
  (life.of !== 'numbers' || numberOf(members['blockNumber']) === life.to)

const isTransaction: Check = (value, asked) => isMembers(value) && isHash(value['hash']) && isIn(value, asked)

const isLog = (value: unknown, asked: Asked): value is Members =>
  isMembers(value) && isIn(value, asked) && isHash(value['transactionHash']) && Array.isArray(value['topics'])

const isReceipt: Check = (value, asked) => {
  if (!isMembers(value) || !Array.isArray(value['logs']) || !isHash(value['transactionHash'])) return false
  const { transactionHash, blockHash } = value
  return (
    isIn(value, asked) &&
    (value['logs'] as readonly unknown[]).every(
      (log) =>
        isLog(log, asked) &&
        canonicalHash(log['transactionHash']) === canonicalHash(transactionHash) &&
        canonicalHash(log['blockHash']) === canonicalHash(blockHash),
    )
  )
}

const isReceipts: Check = (value, asked) =>
  Array.isArray(value) &&
  value.every(
    (each: unknown, i) =>
      isReceipt(each, asked) &&
      numberOf((each as Members)['transactionIndex']) === i &&
      (asked.life.of !== 'numbers' || numberOf((each as Members)['blockNumber']) === asked.life.to),
  )

const textsOf = (value: unknown): readonly string[] =>
  value == null ? [] : [value].flat().map((each) => String(each).toLowerCase())
const isAmong = (value: unknown, texts: readonly string[]): boolean =>
  texts.length === 0 || texts.includes(String(value).toLowerCase())

const isFiltered: Check = (value, asked) => {
  const filter = asked.args[0] as Members | undefined
  const from = numberOf(filter?.['fromBlock']) ?? 0
  const addresses = textsOf(filter?.['address'])
  const wanted = Array.isArray(filter?.['topics']) ? (filter['topics'] as readonly unknown[]).map(textsOf) : []
  return (
    Array.isArray(value) &&
    value.every(
      (log: unknown) =>
        isLog(log, asked) &&
        numberOf(log['blockNumber'])! >= from &&
        isAmong(log['address'], addresses) &&
        // Nodes do not agree on a log that has fewer topics than the filter.
        wanted.every((topics, i) => isAmong((log['topics'] as readonly unknown[])[i] ?? topics[0], topics)),
    )
  )
}

/** Traces of `trace_` name their block, those of `debug_` do not. */
const isTraces: Check = (value, asked) =>
  Array.isArray(value) && value.every((each: unknown) => isMembers(each) && isIn(each, asked))

const isOfBlock: Check = (value, asked) =>
  isTraces(value, asked) &&
  (asked.life.of !== 'numbers' ||
    (value as readonly Members[]).every(
      ({ blockNumber }) => numberOf(blockNumber) === (asked.life as { readonly to: number }).to,
    ))

/** The check of each method's answer. A method that takes hex, and one that is in no row, is judged by its text. */
const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['eth_getBlockByHash', isWholeBlock],
  ['eth_getBlockByNumber', isWholeBlock],
  ['eth_getHeaderByHash', isHeader],
  ['eth_getHeaderByNumber', isHeader],
  ['eth_getUncleByBlockHashAndIndex', isUncle],
  ['eth_getUncleByBlockNumberAndIndex', isUncle],
  ['eth_getTransactionByHash', isTransaction],
  ['eth_getTransactionBySenderAndNonce', isTransaction],
  [
    'eth_getTransactionByBlockHashAndIndex',
    (value, asked) => isTransaction(value, asked) && isAt(value as Members, asked),
  ],
  [
    'eth_getTransactionByBlockNumberAndIndex',
    (value, asked) => isTransaction(value, asked) && isAt(value as Members, asked),
  ],
  ['eth_getTransactionReceipt', isReceipt],
  ['eth_getBlockReceipts', isReceipts],
  ['eth_getLogs', isFiltered],
  ['eth_feeHistory', isObject],
  ['eth_getProof', isObject],
  ['eth_getStorageValues', isObject],
  ['eth_createAccessList', isObject],
  ['eth_simulateV1', isList],
  ['eth_getBlockAccessList', isList],
])

/** Methods whose answer is a quantity, and those whose answer is bytes in hex. */
const quantities = /^eth_(?:getBalance|getTransactionCount|get(?:BlockTransaction|Uncle)CountBy.+|estimateGas|chainId)$/
const hexes = /^(?:eth_(?:call|getCode|getStorageAt|getRawTransaction.+)|debug_getRaw(?:Block|Header|BlockAccessList))$/
const traceLists =
  /^(?:debug_(?:traceBlock.*|getRawReceipts)|trace_(?:block|transaction|filter|callMany|replayBlock.+))$/
const traceObjects = /^(?:debug_(?:accountRange|executionWitness|storageRangeAt)|trace_(?:call|get|rawTransaction))$/

/** Whether an answer has its method's shape and names the block, transaction or range that was asked for. Never throws but for a result that is not JSON. */
export function isEvmNamed(
  { method, params }: RpcRequest,
  life: AnswerLife,
  result: RawJson,
  isHashed: Asked['isHashed'],
): boolean {
  if (hexes.test(method)) return isHex(result)
  if (quantities.test(method)) return result.byteLength <= longestText && isQuantity(result.value(), noQuestion)
  const isListed = traceLists.test(method)
  if (isListed || traceObjects.test(method)) {
    if (result.byteLength > longestTrace) return isBetween(result, isListed ? '[]' : '{}')
    const traces = result.value()
    if (!isListed) return isMembers(traces)
    if (method === 'trace_block') return isOfBlock(traces, askedOf(params, life, isHashed))
    if (method === 'trace_transaction' || method === 'trace_filter')
      return isTraces(traces, askedOf(params, life, isHashed))
    return isList(traces, noQuestion)
  }
  const check = checks.get(method)
  if (check === undefined) return true
  return result.byteLength <= longestParsed && check(result.value(), askedOf(params, life, isHashed))
}

const noQuestion: Asked = { args: [], life: { of: 'params' }, isHashed: () => true }

function askedOf(params: RawJson | undefined, life: AnswerLife, isHashed: Asked['isHashed']): Asked {
  const args: unknown = params?.value()
  return { args: Array.isArray(args) ? args : [], life, isHashed }
}

/** Whether a result is a string of bytes in hex. A long one is not decoded. */
function isHex(result: RawJson): boolean {
  if (result.byteLength <= longestText) return /^"0x[\da-f]*"$/i.test(result.text())
  return (
    isBetween(result, '""') &&
    result
      .chunks()
      .every((bytes) =>
        /^"?(?:0x)?[\da-f]*"?$/i.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')),
      )
  )
}

/** Whether a result starts and ends with two characters. */
function isBetween(result: RawJson, [first, last]: string): boolean {
  const chunks = result.chunks()
  const start = String.fromCodePoint(chunks[0]?.[0] ?? 0)
  return start === first && String.fromCodePoint(chunks.at(-1)?.at(-1) ?? 0) === last
}
