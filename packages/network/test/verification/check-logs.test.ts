import { createBlockLogs } from '@wayleave/evm-events'
import { verification } from '@wayleave/evm-verify'
import { createContext, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, test } from 'vitest'
import type { OffloadCheck } from '../../src/verification/check-queue.ts'
import { runAnyCheck } from '../../src/verification/check-text.ts'
import { checkBlockLogs } from '../../src/verification/check-logs.ts'
import { block, logs, receipts, reported, withoutBloom } from './true-block.ts'

type Node = { readonly logs?: unknown; readonly receipts?: unknown; readonly isProven?: boolean }

/** Reads the block from nodes that take turns. */
async function read(level: 'off' | 'consistent' | 'proven', nodes: readonly Node[], of = block, chainId = 1) {
  const clock = new FakeClock()
  const asked: string[] = []
  const offloaded: Parameters<OffloadCheck>[0][] = []
  let turn = 0
  const ask: RpcHandler = async ({ method }) => {
    asked.push(method)
    const node = nodes[method === 'eth_getLogs' ? Math.min(turn++, nodes.length - 1) : 0]!
    const result = method === 'eth_getLogs' ? (node.logs ?? logs) : node.receipts
    if (result === undefined) return { error: { code: -32601, message: 'no such method' } }
    const proof = { level: 'proven', anchor: 'none', fields: {} } as const
    return { result: rawJsonFromValue(result), ...(node.isProven === true && { meta: verification.on({}, proof) }) }
  }
  const offload: OffloadCheck = async (check) => {
    offloaded.push(check)
    return runAnyCheck(check)
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
    const other = { ...block, header: rawJsonFromValue({ ...reported, timestamp: '0x1' }) }
    expect((await read('proven', [{ receipts }], other)).outcome).toMatchObject({ code: 'unavailable' })
    expect((await read('consistent', [{ receipts }], other)).outcome).toBe(logs.length)
  })

  test('a false header rules no logs out', async () => {
    const hiding = { ...block, header: rawJsonFromValue(withoutBloom) }
    expect((await read('off', [{}], hiding)).outcome).toBe(0)
    const { outcome, asked } = await read('consistent', [{ receipts }], hiding)
    expect([outcome, asked]).toEqual([logs.length, ['eth_getLogs', 'eth_getBlockReceipts']])
    expect((await read('proven', [{ receipts }], hiding)).outcome).toMatchObject({ code: 'unavailable' })
  })

  test.each(['eth_getBlockByHash', 'eth_getBlockByNumber'])(
    'proven gives no block of %s with a false header',
    async (method) => {
      const params = rawJsonFromValue([method === 'eth_getBlockByHash' ? reported.hash : reported.number, false])
      const give = (level: 'consistent' | 'proven', answer: unknown) => {
        const { ask } = checkBlockLogs({
          endpoints: [{ verify: level }],
          chainId: 137,
          ask: async () => ({ result: rawJsonFromValue(answer) }),
        })
        return ask({ method, params, notification: false }, createContext({ clock: new FakeClock() }))
      }
      await expect(give('proven', withoutBloom)).rejects.toMatchObject({ code: 'invalid_response' })
      for (const answer of [reported, null]) expect((await give('proven', answer)).error).toBeUndefined()
      expect((await give('consistent', withoutBloom)).error).toBeUndefined()
    },
  )

  test('an answer that came proven is not verified again', async () => {
    const { outcome, asked } = await read('proven', [{ isProven: true }])
    expect(outcome).toBe(logs.length)
    expect(asked).toEqual(['eth_getLogs'])
  })

  test('checks long answers elsewhere, as the texts that came', async () => {
    const padded = logs.map((log) => ({ ...log, note: 'x'.repeat(9_000) }))
    const { offloaded } = await read('consistent', [{ logs: padded }])
    expect(offloaded).toEqual([
      { ofText: { check: 'logs', answer: JSON.stringify(padded), expected: { header: reported } } },
    ])
    expect((await read('consistent', [{}])).offloaded).toEqual([])
    const proven = await read('proven', [{ logs: padded, receipts }])
    const texts = { answer: JSON.stringify(padded), expected: { header: reported, receipts: JSON.stringify(receipts) } }
    expect([proven.outcome, proven.offloaded]).toEqual([logs.length, [{ ofText: { check: 'logs', ...texts } }]])
  })

  test('finds the lie in a long answer by its text, and that receipts are no JSON', async () => {
    const padded = logs.map((log) => ({ ...log, note: 'x'.repeat(9_000) }))
    expect((await read('consistent', [{ logs: padded.slice(1) }, { logs: padded }])).outcome).toBe(logs.length)
    const broken = { check: 'logs', answer: '[]', expected: { header: reported as never, receipts: '[' } } as const
    expect(runAnyCheck({ ofText: broken })).toEqual({ ok: false, field: '', reason: 'expected JSON' })
  })

  test('verifies no logs of a chain whose headers do not tell them all', async () => {
    expect((await read('proven', [{ logs: logs.slice(1) }], block, 137)).outcome).toBe(logs.length - 1)
  })
})
