import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdminClient } from '@wayleave/admin-api'
import type { GasConfig } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { createFeeNode } from '../gas/support.ts'
import { key, startNode, startTestGateway } from '../support.ts'

const token = 'an-admin-token-of-the-tests'

async function begin(gas: GasConfig = {}) {
  const chain = createFeeNode()
  const node = await startNode(chain.handler)
  onTestFinished(() => node.close())
  const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-gas-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const network = { kind: 'evm', chainId: 1, upstreams: [node.url], gas: { blocksOnDemand: true, ...gas } } as const
  const gateway = await startTestGateway([], {
    admin: { token },
    dataDir,
    networks: { mainnet: network, archive: network, other: { ...network, chainId: 5 } },
    projects: [{ name: 'open', keys: [{ key }] }],
  })
  onTestFinished(() => gateway.close(0))
  return {
    chain,
    node,
    client: createAdminClient({ url: gateway.admin, token }),
    suggested: async () =>
      (await fetch(`${gateway.rpc}/v3/${key}/networks/1/suggestedGasFees`)).json() as Promise<unknown>,
  }
}

it('fees are told while somebody asks for them, with their promises as blocks come, and no node is asked for that', async () => {
  const { chain, node, client, suggested } = await begin()
  expect(await client.gas.list()).toEqual([])
  await expect(client.gas.get('mainnet')).rejects.toMatchObject({ code: 'not_found' })
  expect(node.calls.filter((method) => method === 'eth_feeHistory')).toEqual([])

  const reported = await suggested()
  const [first, second] = await client.gas.list()
  expect(first).toEqual({
    network: 'mainnet',
    chainId: 1,
    blockNumber: 2,
    ageMs: expect.any(Number),
    suggested: reported,
    promises: {
      low: { withinBlocks: 10, probability: 0.9, kept: 0, broken: 0, pending: 1 },
      medium: { withinBlocks: 3, probability: 0.95, kept: 0, broken: 0, pending: 1 },
      high: { withinBlocks: 1, probability: 0.95, kept: 0, broken: 0, pending: 1 },
    },
    since: 1_700_000_002_000,
  })
  // Networks of one chain have one source.
  expect(second).toMatchObject({ network: 'archive', chainId: 1, suggested: reported })
  expect(await client.gas.list()).toHaveLength(2)

  chain.head = 3
  await expect.poll(async () => (await client.gas.get('mainnet')).blockNumber, { timeout: 5_000 }).toBe(3)
  const { promises, history, since } = await client.gas.get('mainnet')
  expect(promises!.high).toEqual({ withinBlocks: 1, probability: 0.95, kept: 1, broken: 0, pending: 1 })
  expect(since).toBe(1_700_000_002_000)
  expect(history.map(({ blockNumber, at, baseFee }) => [blockNumber, at, baseFee])).toEqual([
    [2, 1_700_000_002_000, '1.000000002'],
    [3, 1_700_000_003_000, '1.000000003'],
  ])
  const { high } = (await suggested()) as { high: { suggestedMaxFeePerGas: string } }
  expect(history[1]!.high).toBe(high.suggestedMaxFeePerGas)
  await expect(client.gas.get('none')).rejects.toMatchObject({ code: 'not_found' })
})

it('a strategy that promises nothing is told without promises', async () => {
  const { client, suggested } = await begin({ strategy: 'metamask' })
  await suggested()
  const [found] = await client.gas.list()
  expect(found).not.toHaveProperty('promises')
  expect(found).toMatchObject({ network: 'mainnet', blockNumber: 2 })
})
