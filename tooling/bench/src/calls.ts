/** One kind of call of the load, and the upstream's answer. */
export interface CallKind {
  readonly name: 'small' | 'block' | 'large' | 'traces' | 'cached' | 'batch' | 'socket'
  readonly title: string
  readonly method: string
  /** The params of call `id`, all of the same length. No two calls have the same, so none is cached or shared, unless {@link isCached}. */
  params(id: number): string
  /** The result as it follows `"result":`, with the frame's closing brace. */
  readonly tail: Buffer
  /** Calls of one request. Default: 1, without an array. */
  readonly batch?: number
  /** Whether a cache may answer it. Default: no. */
  readonly isCached?: boolean
  /** Default: over HTTP. */
  readonly isOverWebSocket?: boolean
}

/** The first id of a run; ids and their hexadecimal form keep their width up to {@link lastId}. */
export const firstId = 100_000_000
export const lastId = 0xfffffff

const resultBytes = 10_000_000
/** The blocks of large calls, which are final: nobody asks for logs or traces above the head. */
const firstLargeBlock = 18_000_000
const largeBlocks = 2_000_000

/** A 32-byte result: the proxy's share is greatest for the cheapest call. */
export const smallCall: CallKind = {
  name: 'small',
  title: 'eth_getBalance, 66-byte result',
  method: 'eth_getBalance',
  params: (id) => `["0x${id.toString(16).padStart(40, '0')}","latest"]`,
  tail: Buffer.from('"0x0000000000000000000000000000000000000000000000000de0b6b3a7640000"}'),
}

export const blockCall: CallKind = {
  name: 'block',
  title: 'eth_getBlockByNumber, 2 kB result',
  method: 'eth_getBlockByNumber',
  params: (id) => `["0x${id.toString(16)}",false]`,
  tail: Buffer.from(`${printBlock()}}`),
}

/** A read of the state at a block that is final, always the same. */
export const cachedCall: CallKind = {
  ...smallCall,
  name: 'cached',
  title: 'eth_getBalance at a final block, always the same',
  params: () => `["0x${'ab'.repeat(20)}","0x1312d00"]`,
  isCached: true,
}

/** The small call over a WebSocket. */
export const socketCall: CallKind = {
  ...smallCall,
  name: 'socket',
  title: `${smallCall.title}, over a WebSocket`,
  isOverWebSocket: true,
}

export const callsOfBatch = 20

/** Small calls in one request. Their ids are the same in each; the params are not. */
export const batchCall: CallKind = {
  ...smallCall,
  name: 'batch',
  title: `a batch of ${callsOfBatch} small calls`,
  batch: callsOfBatch,
}

/** A result of 10,000,000 bytes, made on demand because not every run needs it. */
export function createLargeCall(): CallKind {
  return {
    name: 'large',
    title: 'eth_getLogs, 10 MB result',
    method: 'eth_getLogs',
    params(id) {
      const block = largeBlockOf(id)
      return `[{"fromBlock":"${block}","toBlock":"${block}"}]`
    },
    tail: Buffer.from(`${printLogs()}}`),
  }
}

/** A result of 10,000,000 bytes that is mostly brackets and short strings, likewise made on demand. */
export function createTracesCall(): CallKind {
  return {
    name: 'traces',
    title: 'debug_traceBlockByNumber, 10 MB result',
    method: 'debug_traceBlockByNumber',
    params: (id) => `["${largeBlockOf(id)}",{"tracer":"callTracer"}]`,
    tail: Buffer.from(`${printTraces()}}`),
  }
}

/** Prints a request as it goes over the wire. */
export function printRequest(kind: CallKind, id: number): string {
  const { batch } = kind
  if (batch === undefined) return printCall(kind, id, id)
  return `[${Array.from({ length: batch }, (_, i) => printCall(kind, firstId + i, id * batch + i)).join(',')}]`
}

function printCall(kind: CallKind, id: number, params: number): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${kind.method}","params":${kind.params(params)}}`
}

/** Prints the answer of the request `id` up to the last result. */
export function printHeadOf({ batch = 0, tail }: CallKind, id: number): string {
  if (batch === 0) return printAnswerHead(id)
  const answers = Array.from({ length: batch }, (_, i) => printAnswerHead(firstId + i))
  return `[${answers.join(`${tail.toString('latin1')},`)}`
}

/** The bytes after {@link printHeadOf}. */
export function tailOf({ batch, tail }: CallKind): Buffer {
  return batch === undefined ? tail : Buffer.concat([tail, Buffer.from(']')])
}

/** Prints the answer of call `id` up to its result. */
export function printAnswerHead(id: number | string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":`
}

function largeBlockOf(id: number): string {
  return `0x${(firstLargeBlock + (id % largeBlocks)).toString(16)}`
}

function hex(seed: number, bytes: number): string {
  let text = '0x'
  let state = seed >>> 0
  while (text.length < 2 + 2 * bytes) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    text += state.toString(16).padStart(8, '0')
  }
  return text.slice(0, 2 + 2 * bytes)
}

function printBlock(): string {
  return JSON.stringify({
    baseFeePerGas: '0x3b9aca00',
    blobGasUsed: '0x0',
    difficulty: '0x0',
    excessBlobGas: '0x0',
    extraData: '0x',
    gasLimit: '0x2255100',
    gasUsed: '0x10c8e0',
    hash: hex(1, 32),
    logsBloom: hex(2, 256),
    miner: hex(3, 20),
    mixHash: hex(4, 32),
    nonce: '0x0000000000000000',
    number: '0x1406f40',
    parentBeaconBlockRoot: hex(5, 32),
    parentHash: hex(6, 32),
    receiptsRoot: hex(7, 32),
    sha3Uncles: hex(8, 32),
    size: '0x7d0',
    stateRoot: hex(9, 32),
    timestamp: '0x68000000',
    transactions: Array.from({ length: 6 }, (_, i) => hex(10 + i, 32)),
    transactionsRoot: hex(20, 32),
    uncles: [],
    withdrawals: [],
    withdrawalsRoot: hex(21, 32),
  })
}

/** Prints the log at `index`. Its words repeat, which is quicker to print and no quicker to scan. */
function printLog(index: number, words: readonly string[], data: string): string {
  const word = (offset: number): string => words[(index + offset) % words.length]!
  const position = `"transactionIndex":"0x${(index >> 4).toString(16)}","logIndex":"0x${index.toString(16)}"`
  return (
    `{"address":"${word(0).slice(0, 42)}","topics":["${words[0]}","${word(1)}","${word(2)}"],"data":"${data}",` +
    `"blockNumber":"0x112a880","blockTimestamp":"0x68000000","transactionHash":"${word(3)}",` +
    `"blockHash":"${words[1]}",${position},"removed":false}`
  )
}

/** Prints logs as a node does; the last one's data fills up to {@link resultBytes}. */
function printLogs(): string {
  const words = Array.from({ length: 251 }, (_, i) => hex(i, 32))
  const logs: string[] = []
  let length = 2
  while (length < resultBytes - 2_000) {
    const log = printLog(logs.length, words, words[(7 * logs.length) % words.length]!)
    logs.push(log)
    length += log.length + 1
  }
  const missing = resultBytes - length - printLog(logs.length, words, '0x').length
  logs.push(printLog(logs.length, words, `0x${'0'.repeat(missing)}`))
  return `[${logs.join(',')}]`
}

/** Prints one transaction's calls as the `callTracer` of geth does. */
function printTrace(index: number, input: string): string {
  const call = (depth: number, calls: string): string =>
    `{"from":"${hex(index + depth, 20)}","gas":"0x1dcd6500","gasUsed":"0x${(5_208 + index).toString(16)}",` +
    `"to":"${hex(index + depth + 1, 20)}","input":"${input}","output":"0x01",${calls}"value":"0x0","type":"CALL"}`
  return `{"txHash":"${hex(index, 32)}","result":${call(0, `"calls":[${call(1, `"calls":[${call(2, '')}],`)},${call(3, '')}],`)}}`
}

/** Prints traces as a node does; the last one's input fills up to {@link resultBytes}. */
function printTraces(): string {
  const traces: string[] = []
  let length = 2
  while (length < resultBytes - 4_000) {
    const trace = printTrace(traces.length % 997, '0xa9059cbb')
    traces.push(trace)
    length += trace.length + 1
  }
  const missing = resultBytes - length - printTrace(0, '0x').length
  traces.push(printTrace(0, '0x').replace('"input":"0x', `"input":"0x${'0'.repeat(missing)}`))
  return `[${traces.join(',')}]`
}
