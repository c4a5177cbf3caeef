import { decodeFunctionData, encodeAbiParameters, type Hex, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  arbitrumFeeFrom,
  lineaFeeFrom,
  opL1FeeFrom,
  type RequestFunction,
  type RollupCall,
  zkSyncFeeFrom,
} from '../../src/index.ts'

const from = `0x${'11'.repeat(20)}`
const to = `0x${'22'.repeat(20)}`

interface Asked {
  readonly method: string
  readonly params: readonly unknown[]
}

/** A node that gives one answer, and notes what it was asked. */
function nodeOf(answer: unknown): { readonly request: RequestFunction; readonly asked: Asked[] } {
  const asked: Asked[] = []
  return {
    asked,
    request: (call) => {
      asked.push(call)
      return Promise.resolve(answer)
    },
  }
}

const words = (...values: readonly bigint[]): string =>
  encodeAbiParameters(
    values.map(() => ({ type: 'uint256' })),
    values,
  )

describe('the fee of an OP chain’s data', () => {
  it.each(['0x', '0x02f8', `0x${'ab'.repeat(32)}`, `0x${'cd'.repeat(100)}`])(
    'is asked of its oracle, for %s',
    async (transaction) => {
      const { request, asked } = nodeOf(words(123n))
      expect(await opL1FeeFrom(request, transaction)).toBe(123n)
      const [call, block] = asked[0]!.params as [RollupCall, string]
      expect([asked[0]!.method, call.to, block]).toEqual([
        'eth_call',
        '0x420000000000000000000000000000000000000f',
        'latest',
      ])
      const abi = parseAbi(['function getL1Fee(bytes) view returns (uint256)'])
      expect(decodeFunctionData({ abi, data: call.data as Hex }).args).toEqual([transaction])
    },
  )

  it.each(['0x', null, '0xzz', { fee: '0x1' }])('is refused where the oracle answers %j', async (answer) => {
    await expect(opL1FeeFrom(nodeOf(answer).request, '0x02')).rejects.toMatchObject({ code: 'invalid_response' })
  })
})

describe('the fee of a call on Arbitrum', () => {
  const abi = parseAbi([
    'function gasEstimateComponents(address to, bool contractCreation, bytes data) payable returns (uint64, uint64, uint256, uint256)',
  ])

  it('has its part for L1, at the base fee alone', async () => {
    const { request, asked } = nodeOf(words(500_000n, 300_000n, 10_000_000n, 25_000_000_000n))
    expect(await arbitrumFeeFrom(request, { from, to, data: '0xabcdef', value: '0x5' })).toEqual({
      gas: 500_000n,
      gasPrice: 10_000_000n,
      l1Fee: 3_000_000_000_000n,
      total: 5_000_000_000_000n,
    })
    const [call] = asked[0]!.params as [RollupCall]
    expect(call).toMatchObject({ from, value: '0x5', to: '0x00000000000000000000000000000000000000c8' })
    expect(decodeFunctionData({ abi, data: call.data as Hex }).args).toEqual([to, false, '0xabcdef'])
  })

  it('is asked as a creation where the call has no address', async () => {
    const { request, asked } = nodeOf(words(1n, 1n, 1n, 1n))
    await arbitrumFeeFrom(request, { data: '0x60' })
    const [call] = asked[0]!.params as [RollupCall]
    expect(Object.keys(call)).toEqual(['to', 'data'])
    expect(decodeFunctionData({ abi, data: call.data as Hex }).args).toEqual([`0x${'0'.repeat(40)}`, true, '0x60'])
  })

  it('is refused where the node has no such contract', async () => {
    await expect(arbitrumFeeFrom(nodeOf(words(1n, 1n, 1n)).request, { to })).rejects.toMatchObject({
      code: 'invalid_response',
      message: expect.stringContaining('4 words'),
    })
  })
})

describe('the fee of a call on Linea and zkSync', () => {
  it('is Linea’s gas at its base fee and priority fee', async () => {
    const { request, asked } = nodeOf({ gasLimit: '0x5208', baseFeePerGas: '0x7', priorityFeePerGas: '0x43a82a4' })
    const [tip, gasPrice] = [0x43a82a4n, 0x43a82a4n + 7n]
    const total = 21_000n * gasPrice
    expect(await lineaFeeFrom(request, { from, to })).toEqual({ gas: 21_000n, gasPrice, tip, total })
    expect(asked).toEqual([{ method: 'linea_estimateGas', params: [{ from, to }] }])
  })

  it('is zkSync’s gas limit at its max fee', async () => {
    const answer = {
      gas_limit: '0x156c00',
      gas_per_pubdata_limit: '0x143b',
      max_fee_per_gas: '0xee6b280',
      max_priority_fee_per_gas: '0x0',
    }
    const { request, asked } = nodeOf(answer)
    const [gas, gasPrice] = [0x156c00n, 250_000_000n]
    expect(await zkSyncFeeFrom(request, { from, to })).toEqual({ gas, gasPrice, total: gas * gasPrice })
    expect(asked).toEqual([{ method: 'zks_estimateFee', params: [{ from, to }] }])
  })

  it.each([null, {}, { gasLimit: '0x1', baseFeePerGas: 'x', priorityFeePerGas: '0x1' }])(
    'is refused where the node answers %j',
    async (answer) => {
      const { request } = nodeOf(answer)
      await expect(lineaFeeFrom(request, { to })).rejects.toMatchObject({ code: 'invalid_response' })
      await expect(zkSyncFeeFrom(request, { to })).rejects.toMatchObject({ code: 'invalid_response' })
    },
  )
})
