import { addressOf, digest, hex, type Hex, type RigBlock, type RigChain, word } from './rig-chain.ts'

/** The contract that has logs. */
export const filecoinContract: Hex = addressOf('contract')
export const filecoinTopic: Hex = digest('Stored(uint256)')
const sender = addressOf('sender')
const zero = word(0)

/**
 * A chain as lotus tells it: some heights are null rounds, hashes are those of tipsets and not of headers, blooms of blocks are full, receipts
 * have no cumulative gas. Source: lotus `node/impl/eth` and `chain/types/ethtypes`.
 */
export function filecoinChain(first: number, isNullRound: (number: number) => boolean): RigChain {
  const blocks: RigBlock[] = []
  let parentHash: Hex = digest('filecoin genesis')
  function next(after: number): RigBlock {
    let number = after + 1
    while (isNullRound(number)) number++
    const block = tipset(number, parentHash)
    parentHash = block.hash
    return block
  }
  let pending = next(first - 1)
  const failure = (message: string): { readonly code: number; readonly message: string } => ({ code: 1, message })
  const chain: RigChain = {
    chainId: 314,
    client: 'lotus-1.34.0+mainnet',
    blocks,
    get pending() {
      return pending
    },
    mine() {
      blocks.push(pending)
      pending = next(pending.number)
    },
    errors: {
      hole: (number) => ({ code: 12, message: `requested epoch was a null round (${number})`, data: number }),
      future: () => failure("requested a future epoch (beyond 'latest')"),
      unknownHash: () => failure('failed to get tipset by hash: ipld: could not find the tipset'),
      futureLogs: () =>
        failure('failed to get events for filter: cannot ask for events for a tipset at or greater than head'),
      earliest: () => failure('block param "earliest" is not supported'),
      unknownMethod: (method) => ({ code: -32601, message: `method '${method}' not found` }),
      unknownFilter: () => failure('filter not found'),
    },
    finalDepth: 20,
    pushesTransactions: true,
  }
  return chain
}

function tipset(number: number, parentHash: Hex): RigBlock {
  const hash = digest(`tipset ${number}`)
  const place = { blockHash: hash, blockNumber: hex(number) }
  const transactions = [0, 1].map((index) => ({
    chainId: '0x13a',
    nonce: hex(number * 2 + index),
    hash: digest(`message ${number} ${index}`),
    ...place,
    transactionIndex: hex(index),
    from: sender,
    // A native message, and a call of the contract.
    to: index === 0 ? `0xff${'0'.repeat(35)}3e9` : filecoinContract,
    value: hex(index),
    type: '0x2',
    input: index === 0 ? '0x' : `0x6057361d${word(number).slice(2)}`,
    gas: '0x1c9c380',
    maxFeePerGas: '0x59682f00',
    maxPriorityFeePerGas: '0x186a0',
    accessList: [],
    v: '0x1',
    r: digest(`r ${number} ${index}`),
    s: digest(`s ${number} ${index}`),
  }))
  const receipts = transactions.map(({ hash: transactionHash, transactionIndex, from, to }, index) => ({
    transactionHash,
    transactionIndex,
    ...place,
    from,
    to,
    root: zero,
    status: '0x1',
    contractAddress: null,
    cumulativeGasUsed: '0x0',
    gasUsed: hex(1_000_000 + number),
    effectiveGasPrice: '0x186a0',
    logsBloom: `0x${'0'.repeat(512)}`,
    logs:
      index === 0
        ? []
        : [0, 1].map((logIndex) => ({
            address: filecoinContract,
            data: word(number),
            topics: [filecoinTopic],
            removed: false,
            logIndex: hex(logIndex),
            transactionIndex,
            transactionHash,
            ...place,
          })),
    type: '0x2',
  }))
  const header = {
    hash,
    parentHash,
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    miner: `0xff${'0'.repeat(35)}7d0`,
    stateRoot: digest(`state ${number}`),
    transactionsRoot: zero,
    receiptsRoot: zero,
    logsBloom: `0x${'f'.repeat(512)}`,
    difficulty: '0x0',
    totalDifficulty: '0x0',
    number: hex(number),
    gasLimit: '0x2540be400',
    gasUsed: hex(2_000_000 + 2 * number),
    timestamp: hex(1_598_306_400 + 30 * number),
    extraData: '0x',
    mixHash: zero,
    nonce: '0x0000000000000000',
    baseFeePerGas: '0x64',
    size: '0xa7f',
    uncles: [],
  }
  return { number, hash, header, transactions, receipts }
}
