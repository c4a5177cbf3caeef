// viem and ethers as they are published, on a chain with null rounds and on one with flashblocks: through a gateway as at the node.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ethersFace, ethersProvider, ethersScript, followByEthers } from './support/other-chains/ethers-script.ts'
import {
  type ChainName,
  differences,
  settle,
  type Settled,
  type Scene,
  startScene,
} from './support/other-chains/scene.ts'
import { closeViem, followByViem, viemClient, viemFace, viemScript } from './support/other-chains/viem-script.ts'
import { until } from './support/wait.ts'

const chains: readonly ChainName[] = ['filecoin', 'base']

/** Lotus refuses this tag; a gateway that knows the first block of the chain gives it. */
const earliest = 'the earliest block'

describe.each(chains)('on a chain like that of %s', (name) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await startScene(name)
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  describe.each(['http', 'ws'] as const)('over %s', (transport) => {
    it('viem reads what the node tells', async () => {
      const read = async (url: string): Promise<Record<string, Settled>> => {
        const client = viemClient(name, url)
        const settled = await settle(viemScript(client, scene.facts), viemFace)
        await closeViem(client)
        return settled
      }
      const direct = await read(scene.direct[transport])
      const through = await read(scene.through[transport])
      expect(Object.keys(direct).length).toBeGreaterThan(50)
      if (name === 'filecoin') {
        expect([direct[earliest], through[earliest]]).toMatchObject([{ error: {} }, { value: { number: 0n } }])
        delete direct[earliest]
      }
      expect(differences(direct, through)).toEqual({})
    })

    it('viem follows blocks, logs and filters as at the node', async () => {
      await scene.settled()
      const follow = (url: string) => followByViem(viemClient(name, url), scene.facts)
      const own = await follow(scene.direct[transport])
      const via = await follow(scene.through[transport])
      const sides = [own.reported, via.reported] as const
      // Over HTTP the first block that is told is the head.
      if (transport === 'http') await until('the head', () => isReported(sides, ['blocks', 'numbers', 'missed'], 1))
      const first = transport === 'http' ? 1 : 0
      for (let i = 1; i <= 12; i++) {
        scene.mine()
        await until('a block', () => isReported(sides, ['blocks', 'numbers', 'missed'], first + i))
        await until('its logs', () => isReported(sides, ['logs'], i * scene.logsOfBlock))
        await own.poll()
        const polled = own.polled['logFilter']!.length
        do await via.poll()
        while (via.polled['logFilter']!.length < polled)
      }
      for (const { stop } of [own, via]) await stop()
      expect(differences(own.reported, via.reported)).toEqual({})
      expect(differences(own.polled, via.polled)).toEqual({})
    })

    it('ethers reads what the node tells', async () => {
      const read = async (url: string): Promise<Record<string, Settled>> => {
        const provider = ethersProvider(url)
        const settled = await settle(ethersScript(provider, scene.facts), ethersFace)
        await provider.destroy()
        return settled
      }
      const direct = await read(scene.direct[transport])
      expect(Object.keys(direct).length).toBeGreaterThan(50)
      expect(differences(direct, await read(scene.through[transport]))).toEqual({})
    })

    it('ethers follows blocks and logs as at the node', async () => {
      await scene.settled()
      const follow = (url: string) => followByEthers(ethersProvider(url), scene.facts)
      const own = await follow(scene.direct[transport])
      const via = await follow(scene.through[transport])
      const sides = [own.reported, via.reported] as const
      for (let i = 1; i <= 12; i++) {
        scene.mine()
        await until('a block', () => isReported(sides, ['numbers'], i))
        await until('its logs', () => isReported(sides, ['logs'], i * scene.logsOfBlock))
      }
      for (const { stop } of [own, via]) await stop()
      expect(differences(own.reported, via.reported)).toEqual({})
    })
  })
})

/** Whether some watchers of both sides have been told so much, and as much as those of the other side. */
function isReported(
  [own, via]: readonly [Record<string, unknown[]>, Record<string, unknown[]>],
  names: readonly string[],
  count: number,
): boolean {
  return names.every((name) => own[name]!.length >= count && own[name]!.length === via[name]!.length)
}
