import { expect, it } from 'vitest'
import { startChainNode, testChain } from '../chain-node.ts'
import { frame, key, send, startTestGateway } from '../support.ts'

it('a call whose answers are compared costs its caller the price of one call', async () => {
  const chain = testChain(500)
  const nodes = await Promise.all([1, 2, 3].map((i) => startChainNode(chain, i)))
  const mainnet = {
    kind: 'evm',
    chainId: 1,
    followHeads: true,
    upstreams: nodes.map(({ url }) => ({ url })),
    consensus: { methods: ['eth_getStorageAt'] },
  } as const
  for (const node of nodes) node.answer = (method) => (method === 'eth_getStorageAt' ? { result: '0x1' } : undefined)
  const gateway = await startTestGateway([], {
    networks: { mainnet },
    plans: { slow: { perSecond: { credits: 1, burst: 240 } } },
    projects: [{ name: 'slow', plan: 'slow', keys: [{ key }] }],
  })
  const body = frame('eth_getStorageAt', [`0x${'11'.repeat(20)}`, '0x0', 'latest'])
  const { status, headers } = await send(gateway.rpc, `/v3/${key}`, { body })
  expect([status, headers['x-wayleave-attempts']]).toEqual([200, '3'])
  expect(headers['ratelimit']).toMatch(/;r=160;/)
  await gateway.close(0)
  for (const node of nodes) await node.close()
})
