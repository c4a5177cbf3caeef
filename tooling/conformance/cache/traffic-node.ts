import { answerParent } from '../starvation/measure/child.ts'
import { finalityLag, hex } from './cache-chain.ts'
import { type Call, type CallCounts, serveCalls } from './serve-calls.ts'
import { readTraffic } from './traffic-record.ts'

/* A node with the recorded chain, which grows as it did, in a process of its own. Its parent asks it for the calls that came, by method. */

interface Filter {
  readonly blockHash?: string
  readonly fromBlock?: string
  readonly toBlock?: string
}

const { chainId, hashes, firstHead, minedAt, questions, logs } = readTraffic()
const numbers = new Map(hashes.map((hash, number) => [hash, number]))
const blockSeconds = 12
/** Reads of the state change seldom: each has one answer. */
const reads = new Map(questions.map(({ method, params, result }) => [readKey(method, params), result]))
const zeros = (bytes: number): string => `0x${'00'.repeat(bytes)}`
let startedAt = 0
const calls: CallCounts = {}

function readKey(method: string, [first]: readonly unknown[]): string {
  return `${method} ${JSON.stringify((first as { data?: unknown } | undefined)?.data ?? first ?? null).toLowerCase()}`
}

const head = (): number => firstHead + minedAt.filter((at) => Date.now() >= startedAt + at).length

function heightOf(block: unknown): number {
  if (block === 'earliest') return 0
  if (block === 'finalized') return Math.max(0, head() - finalityLag)
  if (block === 'safe') return Math.max(0, head() - finalityLag / 2)
  return typeof block === 'string' && block.startsWith('0x') ? Number(block) : head()
}

function blockAt(number: number): object | null {
  if (number > head() || number >= hashes.length) return null
  return {
    number: hex(number),
    hash: hashes[number],
    parentHash: hashes[number - 1] ?? zeros(32),
    timestamp: hex(Math.floor(startedAt / 1_000) + (number - firstHead) * blockSeconds),
    stateRoot: zeros(32),
    transactionsRoot: zeros(32),
    receiptsRoot: zeros(32),
    sha3Uncles: zeros(32),
    mixHash: zeros(32),
    miner: zeros(20),
    nonce: zeros(8),
    difficulty: '0x0',
    totalDifficulty: '0x0',
    extraData: '0x',
    logsBloom: `0x${'ff'.repeat(256)}`,
    gasLimit: '0x1c9c380',
    gasUsed: '0x5208',
    baseFeePerGas: '0x7',
    size: '0x300',
    uncles: [],
    transactions: [],
  }
}

function logsOf({ blockHash, fromBlock, toBlock }: Filter): readonly unknown[] {
  if (blockHash !== undefined) return logs.filter((log) => log.blockHash === blockHash)
  const [from, to] = [heightOf(fromBlock), Math.min(heightOf(toBlock), head())]
  return logs.filter(({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) <= to)
}

function resultOf({ method, params = [] }: Call): unknown {
  if (method === 'eth_chainId') return hex(chainId)
  if (method === 'net_version') return String(chainId)
  if (method === 'eth_syncing') return false
  if (method === 'eth_blockNumber') return hex(head())
  if (method === 'eth_getBlockByNumber') return blockAt(heightOf(params[0]))
  if (method === 'eth_getBlockByHash') return blockAt(numbers.get(String(params[0])) ?? Infinity)
  if (method === 'eth_getLogs') return logsOf((params[0] ?? {}) as Filter)
  return reads.get(readKey(method, params))
}

function start(at: number): Promise<string> {
  startedAt = at
  return serveCalls(resultOf, calls)
}

answerParent({ start, calls: () => calls })
