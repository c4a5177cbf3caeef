import { type Client, createClient } from '@wayleave/client'
import { ethersFeeData, gas, type GasMethods, viemFees, withFees } from '@wayleave/client/gas'
import { type DevNode, startDevNode } from '@wayleave/dev-node'
import type { RunningGateway } from '@wayleave/gateway'
import { BrowserProvider, JsonRpcProvider, Wallet } from 'ethers'
import { createPublicClient, createWalletClient, custom, http, parseGwei, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { alice, bob } from './support/chain.ts'
import { httpUrl, key, startDevGateway } from './support/gateway.ts'

let node: DevNode
let gateway: RunningGateway
let client: Client & { readonly gas: GasMethods }

beforeAll(async () => {
  node = await startDevNode()
  gateway = await startDevGateway(node)
})

afterAll(async () => {
  await gateway.close()
  await node.close()
})

beforeEach(() => {
  client = createClient({ url: gateway.rpc, apiKey: key, apis: { gas: gas({ chainId: node.networks.dev.chainId }) } })
})

afterEach(() => client.close())

const aliceAddress = alice.address as `0x${string}`
const suggest = () => client.gas.suggested()

interface Paid {
  readonly status: string | undefined
  readonly type: string | undefined
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** A transaction that stands in a block, as the node has it. */
async function paidBy(hash: string): Promise<Paid> {
  const viem = createPublicClient({ transport: http(httpUrl(gateway)), pollingInterval: 20 })
  await viem.waitForTransactionReceipt({ hash: hash as `0x${string}` })
  const receipt = await client.requestUnchecked<Record<string, string>>('eth_getTransactionReceipt', [hash])
  const sent = await client.requestUnchecked<Record<string, string>>('eth_getTransactionByHash', [hash])
  return {
    status: receipt['status'],
    type: sent['type'],
    maxFeePerGas: BigInt(sent['maxFeePerGas']!),
    maxPriorityFeePerGas: BigInt(sent['maxPriorityFeePerGas']!),
  }
}

/** What a level costs now; nothing else moves the chain meanwhile. The API hears of the newest block a moment after the node has it. */
async function offered(level: 'low' | 'medium' | 'high'): Promise<Paid> {
  const head = await client.request('eth_blockNumber', [])
  const place = `${gateway.rpc}/v3/${key}/networks/${node.networks.dev.chainId}/suggestedGasFees`
  await expect.poll(async () => (await fetch(place)).headers.get('x-block-number')).toBe(BigInt(head).toString())
  const { suggestedMaxFeePerGas, suggestedMaxPriorityFeePerGas } = (await suggest())[level]
  return {
    status: '0x1',
    type: '0x2',
    maxFeePerGas: parseGwei(suggestedMaxFeePerGas),
    maxPriorityFeePerGas: parseGwei(suggestedMaxPriorityFeePerGas),
  }
}

describe('a transaction that is sent through the gateway pays what its gas API suggests', () => {
  it('by viem', async () => {
    const wallet = createWalletClient({
      account: privateKeyToAccount(bob.privateKey as `0x${string}`),
      chain: { ...foundry, fees: viemFees({ level: 'high', suggest }) },
      transport: http(httpUrl(gateway)),
    }).extend(publicActions)
    const expected = await offered('high')
    // Named, as viem would else have the node fill them in, which has `eth_fillTransaction`.
    const fees = await wallet.estimateFeesPerGas()
    expect(await paidBy(await wallet.sendTransaction({ to: aliceAddress, value: 1n, ...fees }))).toEqual(expected)
  })

  it('by ethers', async () => {
    const provider = new JsonRpcProvider(httpUrl(gateway), undefined, { cacheTimeout: -1 })
    try {
      provider.getFeeData = ethersFeeData(provider, { suggest }) as typeof provider.getFeeData
      const expected = await offered('medium')
      const sent = await new Wallet(bob.privateKey, provider).sendTransaction({ to: aliceAddress, value: 1n })
      expect(await paidBy(sent.hash)).toEqual(expected)
    } finally {
      provider.destroy()
    }
  })

  it('by an EIP-1193 provider, under viem and under ethers', async () => {
    const provider = withFees(
      { request: ({ method, params }) => client.requestUnchecked(method, params as unknown[]) },
      { level: 'low', suggest },
    )
    const wallet = createWalletClient({ account: aliceAddress, chain: foundry, transport: custom(provider) })
    const expected = await offered('low')
    // Its `eth_sendTransaction` is the wallet's own business: viem names no fees for an account that it does not hold.
    const hash = await wallet.sendTransaction({ to: aliceAddress, value: 1n, gas: 21_000n })
    expect(await paidBy(hash)).toEqual(expected)
    const browser = new BrowserProvider(provider, undefined, { cacheTimeout: -1 })
    try {
      const again = await offered('low')
      const signer = await browser.getSigner(aliceAddress)
      expect(await paidBy(await signer.sendUncheckedTransaction({ to: aliceAddress, value: 1n }))).toEqual(again)
    } finally {
      browser.destroy()
    }
  })
})
