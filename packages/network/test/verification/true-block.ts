import type { StreamBlock } from '@wayleave/evm-events'
import type { Hash, Header, Log, Receipt } from '@wayleave/evm-types'
import { headerHash, logsBloom, receiptsRoot } from '@wayleave/evm-verify'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'

const word = (n: number): Hash => `0x${n.toString(16).padStart(64, '0')}`
const address = (n: number): Hash => `0x${n.toString(16).padStart(40, '0')}`
const empty = word(0)
const transactions = [0, 1, 2]

/** The logs and receipts of a block of three transactions, with one log each; its hash is not among what they are hashed from. */
function contentsOf(blockHash: Hash) {
  const receipts = transactions.map((i): Receipt => {
    const place = { blockHash, blockNumber: '0x7', transactionHash: word(100 + i), transactionIndex: `0x${i}` } as const
    const own = { address: address(i), topics: [word(i), word(50)], data: '0x0102', logIndex: `0x${i}` } as const
    const logs: Log[] = [{ ...place, ...own, removed: false }]
    return {
      ...place,
      type: '0x0',
      status: '0x1',
      cumulativeGasUsed: `0x${((i + 1) * 21_000).toString(16)}`,
      gasUsed: '0x5208',
      effectiveGasPrice: '0x1',
      from: address(9),
      to: address(i),
      contractAddress: null,
      logs,
      logsBloom: logsBloom(logs),
    }
  })
  return { receipts, logs: receipts.flatMap((receipt) => receipt.logs) }
}

const unplaced = contentsOf(empty)
const members: Header = {
  number: '0x6',
  hash: empty,
  parentHash: word(5),
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  miner: address(9),
  stateRoot: empty,
  transactionsRoot: word(1),
  receiptsRoot: receiptsRoot(unplaced.receipts),
  logsBloom: logsBloom(unplaced.logs),
  difficulty: '0x1',
  gasLimit: '0x1c9c380',
  gasUsed: '0xf618',
  timestamp: '0x5',
  extraData: '0x',
  mixHash: empty,
  nonce: '0x0000000000000000',
}
/** The headers of the block before it, and of itself, which hash to their hashes. */
export const parent = { ...members, hash: headerHash(members) }
const next = { ...members, number: '0x7', parentHash: parent.hash } as const
export const reported = { ...next, hash: headerHash(next) }
export const { receipts, logs } = contentsOf(reported.hash)
export const block: StreamBlock = {
  number: 7,
  hash: reported.hash,
  parentHash: parent.hash,
  header: rawJsonFromValue(reported),
}

/** The same header with an empty bloom filter: it does not hash to its hash. */
export const withoutBloom = { ...reported, logsBloom: `0x${'0'.repeat(512)}` } as const
