import { smallCall } from '../calls.ts'
import type { UpstreamChain } from '../upstream-chain.ts'

/** Bytes of the logs that a call of the mix asks for, about. */
export const logsBytes = 1_000_000
/** The height of the first block of the calls for logs and receipts: all are final. */
export const oldHeight = 20_000_000

const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

/** A contract's answer does not change with the block. */
export const callResult: string = JSON.stringify(word(1_000_000))
export const balanceResult: string = smallCall.tail.toString('latin1').slice(0, -1)

/** Blocks from here on are those of calls with an answer that is always the same. */
const beyond = 50_000_000

/** Prints the receipt of a transaction, whose hash tells its number. */
export function receiptOf(transactionHash: string): string {
  const number = oldHeight + Number(transactionHash)
  return JSON.stringify({
    blockHash: word(number),
    blockNumber: `0x${number.toString(16)}`,
    contractAddress: null,
    cumulativeGasUsed: '0x5208',
    effectiveGasPrice: '0x3b9aca07',
    from: `0x${'a1'.repeat(20)}`,
    gasUsed: '0x5208',
    logs: [],
    logsBloom: `0x${'00'.repeat(256)}`,
    status: '0x1',
    to: `0x${'b2'.repeat(20)}`,
    transactionHash,
    transactionIndex: '0x0',
    type: '0x2',
  })
}

/** Prints the logs of one block. */
export function logsOf(blockNumber: string): string {
  const log = `{"address":"0x${'c3'.repeat(20)}","topics":["${word(7)}"],"data":"0x${'0'.repeat(9_000)}","blockNumber":"${blockNumber}"`
  const place = `"blockHash":"${word(Number(blockNumber))}","transactionHash":"${word(9)}","transactionIndex":"0x0"`
  const length = log.length + place.length + 40
  const logs = Array.from(
    { length: Math.floor(logsBytes / length) },
    (_, i) => `${log},${place},"logIndex":"0x${i.toString(16)}","removed":false}`,
  )
  return `[${logs.join(',')}]`
}

/** Prints a result that depends on the chain; undefined for any other call. */
export function chainResultOf(chain: UpstreamChain, method: string, params: readonly unknown[]): string | undefined {
  const first = String(params[0])
  switch (method) {
    case 'eth_blockNumber':
      return `"0x${chain.height.toString(16)}"`
    case 'eth_getBlockByNumber':
    case 'eth_getBlockByHash':
      return Number(first) >= beyond ? undefined : chain.block(first)
    case 'eth_getTransactionReceipt':
      return receiptOf(first)
    case 'eth_getLogs': {
      const { fromBlock } = params[0] as { readonly fromBlock: string }
      return Number(fromBlock) < oldHeight ? undefined : logsOf(fromBlock)
    }
    default:
      return undefined
  }
}
