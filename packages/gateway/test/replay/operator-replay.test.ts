import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdminClient } from '@wayleave/admin-api'
import { type Config, realSurroundings } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { createReplayPort, type ReadConfig } from '../../src/replay/replay-port.ts'
import { startChainNode, testChain } from '../chain-node.ts'
import { key, startTestGateway } from '../support.ts'

const token = 'an-admin-token-of-the-tests'

async function begin(readConfig: (config: Config) => ReturnType<ReadConfig>) {
  const nodes = [await startChainNode(testChain(100), 1), await startChainNode(testChain(100), 1)]
  const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-replay-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const config: Config = {
    admin: { token },
    dataDir,
    networks: {
      mainnet: {
        kind: 'evm',
        chainId: 1,
        upstreams: nodes.map(({ url }, i) => ({ name: `node-${i}`, url })),
        followHeads: false,
      },
    },
    projects: [{ name: 'shop', keys: [{ key }] }],
  }
  const gateway = await startTestGateway([], config, { readConfig: () => readConfig(config) })
  onTestFinished(async () => {
    await gateway.close(0)
    for (const node of nodes) await node.close()
  })
  const call = (method: string): Promise<Response> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
    return fetch(`${gateway.rpc}/v3/${key}`, { method: 'POST', body })
  }
  return { gateway, call, client: createAdminClient({ url: gateway.admin, token }) }
}

it('the last calls are replayed against what the file says now, and nothing of it is served', async () => {
  const { call, client } = await begin(async (config) => ({
    config: {
      ...config,
      networks: {
        mainnet: {
          ...config.networks['mainnet']!,
          policy: (eligible) => eligible.toSorted((a, b) => b.endpoint.name.localeCompare(a.endpoint.name)),
        },
      },
      projects: [{ name: 'shop', keys: [{ key }], rules: { methods: ['eth_chainId', 'eth_blockNumber'] } }],
    } as Config,
    problems: [],
  }))
  for (let i = 0; i < 6; i++) await (await call('eth_blockNumber')).text()
  for (let i = 0; i < 3; i++) await (await call('eth_gasPrice')).text()
  const report = await client.replay()
  expect(report).toMatchObject({
    calls: 9,
    problems: [],
    refused: [{ reason: 'method', what: 'eth_gasPrice', calls: 3 }],
    networks: [{ name: 'mainnet', present: { calls: 9 }, changed: { calls: 6, failed: 0 } }],
  })
  expect(report.networks[0]!.changed!.upstreams[1]!.asked).toBeGreaterThanOrEqual(6)
  expect(report.changes.join('\n')).toContain('policy')
  await (await call('eth_gasPrice')).text()
  expect((await client.replay()).calls).toBe(10)
})

it('one replay runs at a time, and who asks meanwhile shares it', async () => {
  let reads = 0
  const port = createReplayPort({
    recorder: { lately: () => [] },
    ofWorkers: () => undefined,
    present: () => ({ networks: {} }),
    async readConfig() {
      reads++
      return { config: { networks: {} }, problems: [] }
    },
    surroundings: realSurroundings,
  })
  const [first, second] = await Promise.all([port.run(), port.run()])
  expect(first).toBe(second)
  expect(await port.run()).not.toBe(first)
  expect(reads).toBe(2)
})

it('a file that cannot be served is told, and nothing is replayed', async () => {
  const { client } = await begin(async () => ({
    problems: [{ path: 'networks.mainnet.chainId', expected: 'a chain id', got: '"one"' }],
  }))
  const { problems, networks } = await client.replay()
  expect(problems).toEqual([expect.stringContaining('networks.mainnet.chainId')])
  expect(networks).toEqual([])
})

it('a gateway without a file says that there is none', async () => {
  const gateway = await startTestGateway(['http://127.0.0.1:9'], { admin: { token }, dataDir: await temporary() })
  onTestFinished(() => gateway.close(0))
  const client = createAdminClient({ url: gateway.admin, token })
  await expect(client.replay()).rejects.toThrow('started without a configuration file')
})

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-replay-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
