import { nodeTip } from '../../src/peers/node-tip.ts'
import type { NodeKind } from '../../src/market.ts'
import type { FeeHistory } from '@wayleave/gas-fees'
import { RpcError, type RpcHandler, rawJsonFromValue } from '@wayleave/jsonrpc-core'

/** A node whose chain ends with this history, as far as viem and ethers ask it for fees. */
export function feeNode(history: FeeHistory, kind: NodeKind): RpcHandler {
  const newest = history.blocks.at(-1)!
  const answers: Readonly<Record<string, unknown>> = {
    eth_chainId: '0x539',
    eth_blockNumber: hex(newest.number),
    eth_getBlockByNumber: blockAt(newest.number, newest.baseFeePerGas),
    eth_maxPriorityFeePerGas: hex(nodeTip(history, kind)),
    eth_gasPrice: hex(newest.baseFeePerGas + nodeTip(history, kind)),
  }
  return async ({ method }) => {
    if (!(method in answers)) {
      throw new RpcError('unavailable', `a question about fees was expected, ${method} came`)
    }
    return { result: rawJsonFromValue(answers[method]) }
  }
}

function blockAt(number: number, baseFeePerGas: bigint): object {
  const word = `0x${'11'.repeat(32)}`
  return {
    number: hex(number),
    hash: word,
    parentHash: word,
    nonce: '0x0000000000000000',
    sha3Uncles: word,
    logsBloom: `0x${'00'.repeat(256)}`,
    transactionsRoot: word,
    stateRoot: word,
    receiptsRoot: word,
    miner: `0x${'22'.repeat(20)}`,
    difficulty: '0x0',
    totalDifficulty: '0x0',
    extraData: '0x',
    size: '0x1',
    gasLimit: hex(30_000_000),
    gasUsed: hex(15_000_000),
    timestamp: hex(1_760_000_000),
    baseFeePerGas: hex(baseFeePerGas),
    transactions: [],
    uncles: [],
  }
}

function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`
}
