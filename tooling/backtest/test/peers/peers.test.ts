import { createEthersProvider, createProvider } from '@wayleave/jsonrpc-core/adapters'
import type { FeeHistory, FeeOffer } from '@wayleave/gas-fees'
import { JsonRpcApiProvider, Network } from 'ethers'
import { createPublicClient, custom } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { historyAt, type Market } from '../../src/market.ts'
import { createPeers } from '../../src/peers/peers.ts'
import { readRecorded } from '../../src/recorded.ts'
import { unseenProfiles } from '../../src/simulator/profiles.ts'
import { simulate } from '../../src/simulator/simulate.ts'
import { feeNode } from '../support/fee-node.ts'

const places: { readonly title: string; readonly history: FeeHistory; readonly node: Market['node'] }[] = []

beforeAll(async () => {
  const simulated = unseenProfiles.map((profile) => simulate(profile, 100))
  for (const market of [...(await readRecorded()), ...simulated]) {
    for (const index of [0, 7, 60, market.blocks.length - 1]) {
      places.push({
        title: `${market.name}, block ${index}`,
        history: historyAt(market, index, 40),
        node: market.node,
      })
    }
  }
})

function restated(name: string, { history, node }: (typeof places)[number]): FeeOffer {
  return createPeers({ node })
    .find((peer) => peer.name === name)!
    .offers(history).medium
}

describe('the restated rules', () => {
  it("offer what viem's estimateFeesPerGas returns", async () => {
    for (const place of places) {
      const { request } = createProvider(feeNode(place.history, place.node))
      const client = createPublicClient({ transport: custom({ request }) })
      const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas()
      expect({ maxFeePerGas, maxPriorityFeePerGas }, place.title).toEqual(restated('viem', place))
    }
  })

  it("offer what ethers' getFeeData returns, which is nothing where the base fee is 0", async () => {
    for (const place of places) {
      const provider = createEthersProvider(JsonRpcApiProvider, feeNode(place.history, place.node), {
        options: { staticNetwork: Network.from(1337) },
      })
      const { maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData()
      provider.destroy()
      const free = place.history.blocks.at(-1)!.baseFeePerGas === 0n
      const expected = free ? { maxFeePerGas: null, maxPriorityFeePerGas: null } : restated('ethers', place)
      expect({ maxFeePerGas, maxPriorityFeePerGas }, place.title).toEqual(expected)
    }
  })

  it('look back no further than their window', async () => {
    for (const market of await readRecorded()) {
      for (const peer of createPeers(market)) {
        const all = peer.offers(historyAt(market, 500, 501))
        expect(peer.offers(historyAt(market, 500, peer.window))).toEqual(all)
      }
    }
  })
})
