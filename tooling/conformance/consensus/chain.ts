import { createHash } from 'node:crypto'

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>

/** The milliseconds from block to block, and the height at the start. */
const blockTimeMs = 500
const firstHeight = 1_000

/** A chain that grows by itself; all of it follows from heights, so that every answer about it can be checked. */
export interface Chain {
  /** The height now. */
  height(): number
  block(number: number): Json
  /** The height of a block by its hash; undefined: there is none yet. */
  numberOf(hash: string): number | undefined
  /** The answer to a question about the block at a height; undefined: nobody has one. */
  truth(method: string, params: readonly unknown[], number: number): unknown
}

const hex = (number: number): string => `0x${number.toString(16)}`
const digest = (...of: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(of)).digest('hex')
/** A hash that tells its height. */
const hashAt = (number: number, ...of: readonly unknown[]): string =>
  `0x${number.toString(16).padStart(8, '0')}${digest(number, ...of).slice(8)}`

/** Reads the height that a word or a hash tells. */
export const heightIn = (word: unknown): number => Number.parseInt(String(word).slice(2, 10), 16)

/** Starts a chain. `now`: the time in ms. */
export function startChain(now: () => number): Chain {
  const since = now()
  const height = (): number => firstHeight + Math.floor((now() - since) / blockTimeMs)
  const logOf = (number: number, address: unknown): Json => ({
    address,
    topics: [hashAt(number, 'topic')],
    data: `0x${digest(number, 'data')}`,
    blockNumber: hex(number),
    blockHash: hashAt(number, 'block'),
    transactionHash: hashAt(number, 'transaction'),
    transactionIndex: '0x0',
    logIndex: '0x0',
    removed: false,
  })
  const chain: Chain = {
    height,
    block: (number) => ({
      number: hex(number),
      hash: hashAt(number, 'block'),
      parentHash: hashAt(number - 1, 'block'),
      stateRoot: hashAt(number, 'state'),
      transactionsRoot: hashAt(number, 'transactions'),
      receiptsRoot: hashAt(number, 'receipts'),
      miner: `0x${digest(number).slice(0, 40)}`,
      extraData: '0x',
      gasUsed: hex(21_000 + number),
      gasLimit: '0x1c9c380',
      timestamp: hex(1_700_000_000 + number),
      size: '0x220',
      transactions: [hashAt(number, 'transaction')],
    }),
    numberOf(hash) {
      const number = heightIn(hash)
      return number <= height() && hashAt(number, 'block') === hash ? number : undefined
    },
    truth(method, params, number) {
      switch (method) {
        case 'eth_getBlockByNumber':
        case 'eth_getBlockByHash':
          return chain.block(number)
        case 'eth_call':
          return hashAt(number, 'call', params[0])
        case 'eth_getStorageAt':
          return hashAt(number, 'storage', params[0], params[1])
        case 'eth_getLogs': {
          const { address } = params[0] as Json
          return [logOf(number, address), { ...logOf(number, address), logIndex: '0x1' }]
        }
        case 'eth_getTransactionReceipt':
          return {
            transactionHash: params[0],
            transactionIndex: '0x0',
            blockNumber: hex(number),
            blockHash: hashAt(number, 'block'),
            from: `0x${digest('from', number).slice(0, 40)}`,
            to: `0x${digest('to', number).slice(0, 40)}`,
            contractAddress: null,
            status: number % 3 === 0 ? '0x0' : '0x1',
            gasUsed: hex(21_000 + number),
            cumulativeGasUsed: hex(21_000 + number),
            logs: [logOf(number, `0x${digest('to', number).slice(0, 40)}`)],
            logsBloom: `0x${'00'.repeat(256)}`,
            type: '0x2',
          }
        default:
          return undefined
      }
    },
  }
  return chain
}

/** The height that a question is about; undefined: the chain has no such block yet. `height`: that of the node. */
export function heightOf(chain: Chain, method: string, params: readonly unknown[], height: number): number | undefined {
  if (method === 'eth_getTransactionReceipt') return within(heightIn(params[0]), height)
  const [first] = params as readonly [unknown]
  const block = method.startsWith('eth_getBlockBy') ? first : method === 'eth_getLogs' ? first : params.at(-1)
  const name = typeof block === 'object' ? ((block as Json)['blockHash'] ?? (block as Json)['fromBlock']) : block
  if (name === 'latest') return height
  const text = String(name)
  return within(text.length === 66 ? (chain.numberOf(text) ?? Number.POSITIVE_INFINITY) : Number(text), height)
}

const within = (number: number, height: number): number | undefined => (number <= height ? number : undefined)
