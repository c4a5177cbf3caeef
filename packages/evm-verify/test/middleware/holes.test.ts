import type { Hash, Hex } from '@wayleave/evm-types'
import { createContext, isStream, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import { expect, test } from 'vitest'
import { headerHash, verification, verify } from '../../src/index.ts'

const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const hex = (number: number): Hex => `0x${number.toString(16)}`

/** Blocks at these heights, each the parent of the next; the first two may have logs, which nobody can prove. */
function chainOf(heights: readonly number[]) {
  let parentHash: Hash = `0x${'0'.repeat(64)}`
  return heights.map((number, i) => {
    const header = {
      parentHash,
      sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
      miner: hex(0).padEnd(42, '0') as Hex,
      stateRoot: emptyRoot,
      transactionsRoot: emptyRoot,
      receiptsRoot: emptyRoot,
      logsBloom: `0x${(i < 2 ? 'f' : '0').repeat(512)}`,
      difficulty: '0x0',
      number: hex(number),
      gasLimit: '0x1c9c380',
      gasUsed: '0x0',
      timestamp: hex(1_700_000_000 + number),
      extraData: '0x',
      mixHash: `0x${'0'.repeat(64)}`,
      nonce: '0x0000000000000000',
      baseFeePerGas: '0x7',
    } as const
    parentHash = headerHash(header)
    return { ...header, hash: parentHash, uncles: [], transactions: [] }
  })
}

test.each([12, 13, 14])(
  'logs from height %i on are proven by the blocks from there on, where some heights have none',
  async (from) => {
    const blocks = chainOf([10, 11, 13, 15, 16])
    const node: RpcHandler = async ({ method, params }) => {
      const [place] = params!.value() as [unknown]
      if (method === 'eth_getLogs') return { result: rawJsonFromValue([]) }
      const block = blocks.find(({ hash, number }) => hash === place || number === place || place === 'latest')
      return { result: rawJsonFromValue(method.startsWith('eth_getBlockBy') ? (block ?? null) : null) }
    }
    const handler = verify({ require: 'proven', logs: 'receipts', anchor: { blockHash: blocks.at(-1)!.hash } })(node)
    const params = rawJsonFromValue([{ fromBlock: hex(from), toBlock: hex(16) }])
    const context = createContext({ timeoutMs: 20_000 })
    const { result, meta } = await handler({ method: 'eth_getLogs', params, notification: false }, context)
    context.release()
    expect([
      result === undefined || isStream(result) ? undefined : result.value(),
      verification.of(meta)?.level,
    ]).toEqual([[], 'proven'])
  },
)
