import { createBlockLogs, type StreamBlock } from '@wayleave/evm-events'
import type { Hash, Header, Log, Receipt } from '@wayleave/evm-types'
import { headerHash, logsBloom, type Offload, receiptsRoot, runCheck, verification } from '@wayleave/evm-verify'
import { createContext, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, test } from 'vitest'
import { checkBlockLogs } from '../../../src/rpc/streams/check-logs.ts'

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
  number: '0x7',
  hash: empty,
  parentHash: word(6),
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
const told = { ...members, hash: headerHash(members) }
const { receipts, logs } = contentsOf(told.hash)
const block: StreamBlock = { number: 7, hash: told.hash, parentHash: word(6), header: rawJsonFromValue(told) }

type Node = { readonly logs?: unknown; readonly receipts?: unknown; readonly isProven?: boolean }

/** Reads the block from nodes that take turns. */
async function read(level: 'off' | 'consistent' | 'proven', nodes: readonly Node[], of = block, chainId = 1) {
  const clock = new FakeClock()
  const asked: string[] = []
  const offloaded: string[] = []
  let turn = 0
  const ask: RpcHandler = async ({ method }) => {
    asked.push(method)
    const node = nodes[method === 'eth_getLogs' ? Math.min(turn++, nodes.length - 1) : 0]!
    const result = method === 'eth_getLogs' ? (node.logs ?? logs) : node.receipts
    if (result === undefined) return { error: { code: -32601, message: 'no such method' } }
    const proof = { level: 'proven', anchor: 'none', fields: {} } as const
    return { result: rawJsonFromValue(result), ...(node.isProven === true && { meta: verification.on({}, proof) }) }
  }
  const offload: Offload = async (check) => {
    offloaded.push(check.check)
    return runCheck(check)
  }
  const options = checkBlockLogs({ endpoints: [{ verify: 'off' }, { verify: level }], chainId, ask, offload })
  const reader = createBlockLogs({ ...options, clock })
  const context = createContext({ clock, timeoutMs: 60_000 })
  const settled: { outcome?: unknown } = {}
  reader.read(of, { logs: true }, context).then(
    (contents) => (settled.outcome = contents.logs.length),
    (thrown: unknown) => (settled.outcome = thrown),
  )
  for (let i = 0; i < 500 && settled.outcome === undefined; i++) {
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(100)
  }
  return { outcome: settled.outcome, asked, offloaded }
}

describe('checkBlockLogs', () => {
  test('off believes logs that some are missing of', async () => {
    const { outcome } = await read('off', [{ logs: logs.slice(1) }])
    expect(outcome).toBe(logs.length - 1)
  })

  test('consistent asks again for logs that do not have the bloom filter of their block', async () => {
    const { outcome, asked } = await read('consistent', [{ logs: logs.slice(1) }, { logs: logs.slice(0, -1) }, {}])
    expect(outcome).toBe(logs.length)
    // Each second attempt is by receipts, which these nodes do not have.
    expect(asked.filter((method) => method === 'eth_getLogs')).toHaveLength(3)
  })

  test('proven refuses a further log with the topics of others, by the receipts', async () => {
    const double = [...logs, { ...logs.at(-1), logIndex: `0x${logs.length.toString(16)}` }]
    expect((await read('consistent', [{ logs: double }])).outcome).toBe(logs.length + 1)
    expect((await read('proven', [{ logs: double, receipts }, { receipts }])).outcome).toBe(logs.length)
  })

  test('proven is content with the bloom filter where no upstream gives receipts', async () => {
    const { outcome, asked } = await read('proven', [{}])
    expect(outcome).toBe(logs.length)
    expect(asked).toEqual(['eth_getLogs', 'eth_getBlockReceipts'])
  })

  test('proven refuses a header that does not hash to the hash of its block', async () => {
    const other = { ...block, header: rawJsonFromValue({ ...told, timestamp: '0x1' }) }
    expect((await read('proven', [{ receipts }], other)).outcome).toMatchObject({ code: 'unavailable' })
    expect((await read('consistent', [{ receipts }], other)).outcome).toBe(logs.length)
  })

  test('an answer that came proven is not verified again', async () => {
    const { outcome, asked } = await read('proven', [{ isProven: true }])
    expect(outcome).toBe(logs.length)
    expect(asked).toEqual(['eth_getLogs'])
  })

  test('checks long answers elsewhere', async () => {
    const padded = logs.map((log) => ({ ...log, note: 'x'.repeat(9_000) }))
    expect((await read('consistent', [{ logs: padded }])).offloaded).toEqual(['logs'])
    expect((await read('consistent', [{}])).offloaded).toEqual([])
  })

  test('verifies no logs of a chain whose headers do not tell them all', async () => {
    expect((await read('proven', [{ logs: logs.slice(1) }], block, 137)).outcome).toBe(logs.length - 1)
  })
})
