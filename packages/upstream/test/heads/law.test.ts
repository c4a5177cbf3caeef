import { describe, expect, it } from 'vitest'
import { createScene, type Scene, stepMs, type TestNode } from './scene.ts'

/** A generator of numbers from 0 to below 1, from a seed. Source: mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The manners of a liar; it takes up another one every few seconds. */
const manners: readonly ((liar: TestNode, scene: Scene, random: () => number) => void)[] = [
  (liar) => Object.assign(liar, { height: undefined, lag: 0 }),
  // Ahead, on blocks of its own: a little, or far.
  (liar, { chain }, random) => {
    liar.chain = chain.fork('liar')
    liar.chain.mine(random() < 0.5 ? 1 + Math.floor(random() * 12) : 1_000)
  },
  // Behind.
  (liar, { chain }, random) => Object.assign(liar, { chain, height: undefined, lag: Math.floor(random() * 30) }),
  // Stuck.
  (liar) => Object.assign(liar, { height: liar.head().number }),
  // Restarted at the first block.
  (liar, { chain }) => Object.assign(liar, { chain, height: 0 }),
  // On a fork of its own.
  (liar, { chain }, random) => {
    liar.chain = chain.fork('liar')
    liar.chain.reorg(1 + Math.floor(random() * 5), 1 + Math.floor(random() * 8))
    liar.height = undefined
    liar.lag = 0
  },
  (liar) => Object.assign(liar, { mode: 'hang' }),
  (liar) => Object.assign(liar, { mode: 'disconnected' }),
]

describe('an honest majority and one liar', () => {
  it.each(Array.from({ length: 40 }, (_, seed) => seed))(
    'never serve a head that no honest upstream has, nor go back without a reorganisation, nor fall behind (seed %d)',
    async (seed) => {
      const random = randomOf(seed)
      const pushing = random() < 0.3
      const scene = createScene({ count: random() < 0.6 ? 3 : 5, pushing, height: 20 + Math.floor(random() * 200) })
      const { chain, nodes, view, updates } = scene
      const liar = nodes[Math.floor(random() * nodes.length)]!
      let passed = 0
      for (const node of nodes) {
        node.latencyMs = Math.floor(random() * 300)
        if (node !== liar) node.flaky = () => passed > 1_000 && random() < 0.1
      }
      /** Blocks that the honest upstreams have had so far. */
      const had = new Set(chain.blocks.map(({ hash }) => hash))
      let reorgs = 0
      let served = view.head
      let behindFor = 0
      let behind = 0

      const check = (): void => {
        view.wanted()
        const { head } = view
        if (head === undefined) return
        expect(had.has(head.hash), `block ${head.number} is ${head.hash}`).toBe(true)
        expect(head.number).toBeLessThanOrEqual(Math.max(chain.head.number, served?.number ?? 0))
        served = head
        // A slow node among the honest ones may hold the head back by the tolerated lag.
        behindFor = chain.head.number - head.number > 4 ? behindFor + stepMs : 0
        if (behindFor > 0) behind += stepMs
        // One of two honest ones may fail for long by chance: then its vote is missed for ten seconds.
        expect(behindFor).toBeLessThan(13_000)
        passed += stepMs
      }

      for (let i = 0; i < 70; i++) {
        if (random() < 0.05) {
          chain.reorg(1 + Math.floor(random() * 3))
          reorgs++
        } else chain.mine()
        for (const { hash } of chain.blocks.slice(-4)) had.add(hash)
        if (i % 4 === 0) {
          liar.mode = 'up'
          manners[Math.floor(random() * manners.length)]!(liar, scene, random)
        }
        if (liar.chain !== chain && random() < 0.8) liar.chain.mine()
        for (const node of nodes) node.push()
        await scene.run(600 + Math.floor(random() * 800), check)
      }

      expect(behind).toBeLessThan(passed / 5)

      const falls = updates.filter(({ kind }) => kind === 'dropped').length
      if (reorgs === 0) expect(falls).toBe(0)
      let last = -1
      let dropped = 0
      for (const { kind, at } of updates) {
        if (kind === 'dropped') dropped++
        else {
          if (dropped === 0) expect(at.number).toBeGreaterThan(last)
          dropped = 0
          last = at.number
        }
      }
      // The end of all faults is the end of their effects.
      Object.assign(liar, { mode: 'up', chain, height: undefined, lag: 0 })
      for (const node of nodes) node.flaky = () => false
      await scene.mineFor(8_000)
      expect(chain.head.number - view.head!.number).toBeLessThanOrEqual(2)
      expect(view.head!.hash).toBe(chain.at(view.head!.number)!.hash)
      expect(new Set(scene.standings().split(' '))).toEqual(new Set(['good']))
      await view.close()
      expect(scene.clock.timers).toBeLessThanOrEqual(nodes.length * 3)
    },
  )
})
