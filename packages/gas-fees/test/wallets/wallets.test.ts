import { JsonRpcProvider, Wallet } from 'ethers'
import { createPublicClient, createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { mainnet } from 'viem/chains'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ethersFeeData, type SuggestedGasFees, suggestFrom, viemFees, withFees } from '../../src/index.ts'
import { type Node, startNode } from './one-node.ts'

const gwei = 1_000_000_000n
const key = `0x${'01'.repeat(32)}` as const
const to = `0x${'44'.repeat(20)}` as const

/** With tips of 2 gwei and a base fee of 10: room for three, five and seven eighths. */
const max = (steps: bigint): bigint => (10n * gwei * 9n ** steps) / 8n ** steps + steps + 2n * gwei

let node: Node
beforeAll(async () => {
  node = await startNode()
})
beforeEach(() => {
  node.calls.length = 0
})
afterAll(async () => {
  await node.close()
})

function provider() {
  return {
    isWallet: true,
    chainOf() {
      return this.isWallet ? 1 : 0
    },
    request: async ({ method, params = [] }: { method: string; params?: readonly unknown[] | object | undefined }) =>
      node.answer(method, params as readonly unknown[]),
  }
}

test('a suggestion takes two calls to the wallet’s node, and a third to measure the block time', async () => {
  const fees = await suggestFrom(provider().request, { blockTimeMs: 1_000 })
  expect(fees.medium).toMatchObject({ suggestedMaxPriorityFeePerGas: '2', maxWaitTimeEstimate: 3_000 })
  expect(node.calls.map(({ method }) => method)).toEqual(['eth_getBlockByNumber', 'eth_feeHistory'])
  await suggestFrom(provider().request)
  expect(node.calls).toHaveLength(5)
})

test.each([[provider()], ['https://node.example'], [null], [undefined]])(
  'a suggestion from what is no function (%j) is refused with the shape that it should have',
  async (wrong) => {
    await expect(suggestFrom(wrong as never)).rejects.toMatchObject({
      code: 'malformed',
      message: expect.stringContaining('(call) => provider.request(call)'),
    })
  },
)

test('viem estimates what is suggested', async () => {
  const client = createPublicClient({ chain: { ...mainnet, fees: viemFees() }, transport: http(node.url) })
  expect(await client.estimateFeesPerGas()).toEqual({ maxFeePerGas: max(5n), maxPriorityFeePerGas: 2n * gwei })
})

test('a transaction of viem pays what is suggested, and what it names stays', async () => {
  const chain = { ...mainnet, fees: viemFees({ level: 'high' }) }
  const client = createWalletClient({ account: privateKeyToAccount(key), chain, transport: http(node.url) })
  const filled = await client.prepareTransactionRequest({ to })
  expect([filled.maxFeePerGas, filled.maxPriorityFeePerGas]).toEqual([max(7n), 2n * gwei])
  const named = await client.prepareTransactionRequest({ to, maxFeePerGas: 11n * gwei })
  expect([named.maxFeePerGas, named.maxPriorityFeePerGas]).toEqual([11n * gwei, 2n * gwei])
})

test('a legacy transaction of viem is priced by viem', async () => {
  const client = createPublicClient({ chain: { ...mainnet, fees: viemFees() }, transport: http(node.url) })
  const { gasPrice } = await client.estimateFeesPerGas({ type: 'legacy' })
  expect(gasPrice).toBe((99n * gwei * 12n) / 10n)
})

test('ethers’ signers pay what is suggested', async () => {
  const ethers = new JsonRpcProvider(node.url, 1, { staticNetwork: true })
  ethers.getFeeData = ethersFeeData(ethers, { level: 'low' })
  try {
    const filled = await new Wallet(key, ethers).populateTransaction({ to })
    expect([filled.type, filled.maxFeePerGas, filled.maxPriorityFeePerGas]).toEqual([2, max(3n), 2n * gwei])
    const legacy = await new Wallet(key, ethers).populateTransaction({ to, type: 0 })
    expect([legacy.gasPrice, legacy.maxFeePerGas]).toEqual([12n * gwei, undefined])
    expect(JSON.stringify(await ethers.getFeeData())).toContain('"maxPriorityFeePerGas":"2000000000"')
  } finally {
    ethers.destroy()
  }
})

test('eth_sendTransaction gets the fees that it lacks, as quantities', async () => {
  const wallet = withFees(provider())
  await wallet.request({ method: 'eth_sendTransaction', params: [{ to, value: '0x1' }] })
  expect(node.calls.at(-1)).toEqual({
    method: 'eth_sendTransaction',
    params: [{ to, value: '0x1', maxFeePerGas: `0x${max(5n).toString(16)}`, maxPriorityFeePerGas: '0x77359400' }],
  })
})

test.each([
  ['a gas price', { gasPrice: '0x1' }],
  ['both fees', { maxFeePerGas: '0x2', maxPriorityFeePerGas: '0x1' }],
  ['the legacy type', { type: '0x0' }],
  ['the type of EIP-2930', { type: '0x1' }],
])('a transaction with %s goes out as it is, and nothing is asked', async (_, fields) => {
  const params = [{ to, ...fields }]
  await withFees(provider()).request({ method: 'eth_sendTransaction', params })
  expect(node.calls).toEqual([{ method: 'eth_sendTransaction', params }])
})

test('other calls, and the other members of a provider, pass', async () => {
  const wallet = withFees(provider())
  expect(await wallet.request({ method: 'eth_chainId' })).toBe('0x1')
  expect([wallet.isWallet, wallet.chainOf()]).toEqual([true, 1])
  await wallet.request({ method: 'eth_sendTransaction', params: [] })
  expect(node.calls.map(({ method }) => method)).toEqual(['eth_chainId', 'eth_sendTransaction'])
})

test('where nothing can be suggested, no transaction goes out', async () => {
  const suggest = (): Promise<SuggestedGasFees> => Promise.reject(new Error('no suggestion'))
  const sent = withFees(provider(), { suggest }).request({ method: 'eth_sendTransaction', params: [{ to }] })
  await expect(sent).rejects.toThrow('no suggestion')
  expect(node.calls).toEqual([])
})

const header = { number: '0x1', hash: `0x${'11'.repeat(32)}`, parentHash: `0x${'22'.repeat(32)}`, timestamp: '0x1' }
// Geth tells such base fees of blocks before London.
const zeros = { oldestBlock: '0x1', baseFeePerGas: ['0x0', '0x0'], gasUsedRatio: [0.5], reward: [['0x1']] }
const unknown = (code: number): object => Object.assign(new Error('no such method'), { code })
const wrapped = Object.assign(new Error('ethers'), { code: 'UNKNOWN_ERROR', error: { code: -32601, message: 'none' } })

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['whose blocks have no base fee', { eth_getBlockByNumber: header, eth_feeHistory: zeros }],
  ['whose node tells no base fees', { eth_feeHistory: { oldestBlock: '0x27', gasUsedRatio: [0.5] } }],
  ['whose node has no eth_feeHistory', { eth_feeHistory: unknown(-32601) }],
  ['whose provider has no eth_feeHistory', { eth_feeHistory: unknown(4200) }],
  ['of which ethers says so', { eth_feeHistory: wrapped }],
])('on a chain %s a transaction goes out as it is', async (_, answers) => {
  const own = provider()
  const legacy = {
    async request(call: { method: string; params?: readonly unknown[] | object | undefined }) {
      const answer = answers[call.method]
      if (answer instanceof Error) throw answer
      return answer ?? own.request(call)
    },
  }
  await withFees(legacy).request({ method: 'eth_sendTransaction', params: [{ to }] })
  expect(node.calls.at(-1)).toEqual({ method: 'eth_sendTransaction', params: [{ to }] })
  await expect(suggestFrom(legacy.request)).rejects.toMatchObject({ code: 'unsupported' })
})

test('a provider that refuses the call is not asked in smaller parts', async () => {
  let calls = 0
  const refusing = async ({ method }: { method: string }): Promise<unknown> => {
    calls++
    if (method === 'eth_feeHistory') throw Object.assign(new Error('not authorised'), { code: 4100 })
    return { ...header, baseFeePerGas: '0x1' }
  }
  await expect(suggestFrom(refusing)).rejects.toThrow('not authorised')
  expect(calls).toBe(2)
})

test('a provider may be frozen', async () => {
  const wallet = withFees(Object.freeze(provider()))
  await wallet.request({ method: 'eth_sendTransaction', params: [{ to }] })
  expect(node.calls.at(-1)!.params).toMatchObject([{ to, maxPriorityFeePerGas: '0x77359400' }])
  expect('chainOf' in wallet).toBe(true)
})

test('fees may come from elsewhere than the wallet’s node', async () => {
  const fees = await suggestFrom(provider().request)
  node.calls.length = 0
  const suggest = async (): Promise<SuggestedGasFees> => fees
  const client = createPublicClient({ chain: { ...mainnet, fees: viemFees({ suggest }) }, transport: http(node.url) })
  expect((await client.estimateFeesPerGas()).maxFeePerGas).toBe(max(5n))
  expect(node.calls.map(({ method }) => method)).not.toContain('eth_feeHistory')
})
