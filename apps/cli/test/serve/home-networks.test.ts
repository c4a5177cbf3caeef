import { expect, it } from 'vitest'
import { type HomeNode, homeNetworks } from '../../src/serve/home-networks.ts'

it('loses no node whose chain would get the slug of another', () => {
  const nodes: readonly HomeNode[] = ['MY_CHAIN', 'MY-CHAIN', 'my.chain', 'MY_CHAIN'].map((chainId, i) => ({
    kind: 'starknet',
    chainId,
    url: `http://node-${i}`,
  }))
  expect(homeNetworks(nodes)).toEqual({
    'starknet-my-chain': { kind: 'starknet', chainId: 'MY_CHAIN', upstreams: ['http://node-0', 'http://node-3'] },
    'starknet-my-chain-2': { kind: 'starknet', chainId: 'MY-CHAIN', upstreams: ['http://node-1'] },
    'starknet-my-chain-3': { kind: 'starknet', chainId: 'my.chain', upstreams: ['http://node-2'] },
  })
})
