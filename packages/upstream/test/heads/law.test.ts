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
      expect(new Set(scene.healthByName().split(' '))).toEqual(new Set(['good']))
      await view.close()
      expect(scene.clock.timers).toBeLessThanOrEqual(nodes.length * 3)
    },
  )
})

/** Makes the heads of a liar: `ahead` blocks above the true one, more each second by `more`; on the true chain's head, or a fork of its own. */
const jumper =
  (ahead: number, more = 0) =>
  (liar: TestNode, { chain }: Scene, second: number): void => {
    if (second === 0 || more > 0) {
      liar.chain = liar.chain === chain ? chain.fork('liar') : liar.chain
      liar.chain.mine(second === 0 ? ahead : more)
    }
  }

describe('one upstream that names a low block of this moment', () => {
  it.each([
    [2, 0],
    [3, 0],
    [2, 60],
  ])('takes no first head from honest ones (of %d upstreams; blocks of %d s to come)', async (count, aheadS) => {
    const scene = createScene({ count, height: 5_000 })
    const { chain, nodes, view, clock } = scene
    const low = nodes[0]!
    const blocks = Array.from({ length: 400 }, (_, i) => ({
      ...chain.at(i)!,
      hash: `low-${i}`,
      parentHash: `low-${i - 1}`,
    }))
    low.height = 10
    low.head = () => ({ ...blocks[low.height!]!, timestamp: Math.floor(clock.date() / 1_000) + aheadS })
    for (let second = 0; second < 60; second++) {
      await scene.mineFor(1_000)
      low.height++
      expect(chain.at(view.head!.number)?.hash, `second ${second}`).toBe(view.head!.hash)
    }
    expect(scene.healthByName().split(' ')).toEqual(['behind', ...Array.from({ length: count - 1 }, () => 'good')])
  })
})

/** Lets the second upstream report one old block more every `everyMs`, while the chain goes on. */
async function creep({ chain, nodes, view, run, clock }: Scene, blockMs: number, everyMs: number, forMs: number) {
  const slow = nodes[1]!
  const end = clock.now() + forMs
  slow.height ??= chain.head.number
  let mined = 0
  let reported = 0
  const begin = clock.now()
  while (clock.now() < end) {
    await run(stepMs, () => view.wanted())
    const passed = clock.now() - begin
    if (passed >= (mined + 1) * blockMs) {
      chain.mine()
      mined++
    }
    if (passed >= (reported + 1) * everyMs) {
      slow.height++
      reported++
    }
  }
}

describe('one honest upstream and one that is slow', () => {
  it.each([
    [2, 1_000, 5_000, 12],
    [2, 1_000, 30_000, 12],
    [2, 1_000, 300_000, 12],
    [3, 1_000, 5_000, 12],
    [2, 1_000, 2_000, 12],
    [2, 1_000, 2_500, 0],
    [2, 250, Number.POSITIVE_INFINITY, 16],
    [2, 50, Number.POSITIVE_INFINITY, 50],
    [2, 1_000, Number.POSITIVE_INFINITY, 10],
  ])(
    'do not hold the head (of %d upstreams; a block each %d ms, at the slow one each %d ms, after a jump of %d)',
    async (count, blockMs, everyMs, jump) => {
      const scene = createScene({ count, blockTimeMs: blockMs })
      const { chain, nodes, view } = scene
      await scene.mineFor(20_000, blockMs)
      if (count === 3) {
        nodes[2]!.mode = 'connect'
        await scene.mineFor(20_000, blockMs)
      }
      nodes[1]!.height = chain.head.number
      await scene.run(jump * blockMs, () => view.wanted())
      chain.mine(jump)
      await creep(scene, blockMs, everyMs, 45_000)
      expect(chain.head.number - view.head!.number).toBeLessThanOrEqual(Math.ceil(1_000 / blockMs) + 1)
      await creep(scene, blockMs, everyMs, 60_000)
      expect(chain.head.number - view.head!.number).toBeLessThanOrEqual(Math.ceil(1_000 / blockMs) + 1)
      expect(scene.healthByName()).toMatch(/^good behind/)
    },
  )

  it('do not hold the head after the chain stood for ten minutes, where the slow one syncs at half the pace', async () => {
    const scene = createScene({ count: 2 })
    const { chain, nodes } = scene
    await scene.mineFor(20_000)
    nodes[1]!.height = chain.head.number
    await scene.run(600_000, () => scene.view.wanted())
    chain.mine(20)
    await creep(scene, 1_000, 2_000, 45_000)
    expect(chain.head.number - scene.view.head!.number).toBeLessThanOrEqual(2)
  })
})

describe('one honest upstream that keeps the pace of the chain', () => {
  it.each([
    [1_000, 60, 1],
    [1_000, 12, 2],
    [1_000, 12, 20],
    [250, 90, 1],
    [12_000, 30, 1],
  ])(
    'stays served beside one that jumped (a block each %d ms; by %d blocks, and then %d a block)',
    async (blockMs, jump, more) => {
      const scene = createScene({ count: 2, blockTimeMs: blockMs })
      const { chain, nodes, view } = scene
      await scene.mineFor(20 * blockMs, blockMs)
      const other = nodes[0]!
      other.chain = chain.fork('other')
      other.chain.mine(jump)
      for (let i = 0; i < 500; i++) {
        await scene.mineFor(blockMs, blockMs)
        // A block is late at times.
        if (i % 70 === 0) await scene.run(1.5 * blockMs, () => view.wanted())
        other.chain.mine(more)
        expect(chain.at(view.head!.number)?.hash, `block ${i}`).toBe(view.head!.hash)
      }
      expect(scene.healthByName()).toMatch(/^(ahead|forked) good$/)
    },
  )

  it('is served where the other one is a thousand blocks ahead from its first answer on, and the chain stands', async () => {
    const scene = createScene({ count: 2 })
    const { chain, nodes, view } = scene
    const other = nodes[0]!
    other.mode = 'connect'
    await scene.mineFor(20_000)
    Object.assign(other, { mode: 'up', chain: chain.fork('other') })
    other.chain.mine(1_000)
    for (let second = 0; second < 280; second++) {
      other.chain.mine()
      await scene.run(1_000, () => view.wanted())
      expect(view.head!.number, `second ${second}`).toBe(chain.head.number)
    }
  })
})

describe('one honest upstream and one that jumps', () => {
  it.each(
    [
      ['twenty blocks ahead', jumper(20)],
      ['a hundred blocks ahead', jumper(100)],
      ['a thousand blocks ahead', jumper(1_000)],
      ['a thousand blocks ahead, and one more a second', jumper(1_000, 1)],
      ['twenty blocks ahead, and three more a second', jumper(20, 3)],
      [
        'ahead each second time',
        (liar: TestNode, scene: Scene, second: number) => jumper(second % 2 === 0 ? 50 : 0, 50)(liar, scene, second),
      ],
    ].flatMap(([title, lie]) =>
      ['while blocks come', 'while the chain stands', 'after the chain has stood for ten minutes'].map(
        (when) => [title as string, when, lie as ReturnType<typeof jumper>] as const,
      ),
    ),
  )('%s, %s, is never served', async (_title, when, lie) => {
    const scene = createScene({ count: 2 })
    const { chain, nodes, view } = scene
    await scene.mineFor(10_000)
    const wanted = (): void => view.wanted()
    if (when.startsWith('after')) await scene.run(600_000, wanted)
    for (let second = 0; second < 300; second++) {
      if (when === 'while blocks come') chain.mine()
      lie(nodes[0]!, scene, second)
      await scene.run(1_000, wanted)
      expect(chain.at(view.head!.number)?.hash, `second ${second}`).toBe(view.head!.hash)
      expect(view.plausible!).toBeLessThan(chain.head.number + 20)
    }
    expect(chain.head.number - view.head!.number).toBeLessThanOrEqual(2)
  })

  it.each(
    [1, 2, 3, 4, 5, 6, 8, 12, 19].flatMap((by) =>
      [500, 2_000].flatMap((blockMs) =>
        ['while blocks come', 'while the chain stands', 'under one name'].map((when) => [by, blockMs, when] as const),
      ),
    ),
  )('%d blocks of %d ms ahead without their parents, %s, is never served', async (by, blockMs, when) => {
    const scene = createScene({ count: 2 })
    const { chain, nodes, view } = scene
    await scene.mineFor(20 * blockMs, blockMs)
    for (let step = 0; step < 120; step++) {
      if (when !== 'while the chain stands') chain.mine()
      const number = chain.head.number + by
      nodes[0]!.lie = { number, hash: when === 'under one name' ? '0x7' : `0x7-${number}`, parentHash: '0x6' }
      await scene.run(blockMs, () => view.wanted())
      expect(chain.at(view.head!.number)?.hash, `step ${step}`).toBe(view.head!.hash)
      expect(view.of(nodes[1]!.endpoint).health, `step ${step}`).toBe('good')
    }
    expect(chain.head.number - view.head!.number).toBeLessThanOrEqual(2)
  })

  it.each<readonly [title: string, ms: number, jump: (scene: Scene) => Promise<void> | void]>([
    ['a chain that both have further at once', 2_000, ({ chain }) => chain.mine(1_000)],
    [
      'a chain that one has further ten seconds before the other',
      15_000,
      async ({ chain, nodes, run }) => {
        nodes[1]!.height = chain.head.number
        chain.mine(1_000)
        await run(10_000)
        nodes[1]!.height = undefined
      },
    ],
    [
      'a chain whose lagging node is dead',
      15_000,
      ({ chain, nodes }) => {
        nodes[1]!.mode = 'connect'
        chain.mine(1_000)
      },
    ],
    [
      'a chain that goes on after ten minutes, at one node first',
      5_000,
      async ({ chain, nodes, view, run }) => {
        await run(600_000, () => view.wanted())
        nodes[1]!.lag = 1
        chain.mine(10)
      },
    ],
    [
      'a chain that nobody followed for ten minutes',
      3_000,
      async ({ chain, run }) => {
        await run(600_000)
        chain.mine(400)
      },
    ],
    [
      'a node that returns to one that has stopped',
      40_000,
      async ({ chain, nodes, run, mineFor }) => {
        nodes[0]!.mode = 'connect'
        nodes[1]!.height = chain.head.number
        await mineFor(60_000)
        nodes[0]!.mode = 'up'
        await run(1_000)
      },
    ],
    [
      'a node that was syncing',
      3_000,
      async ({ chain, nodes, mineFor }) => {
        nodes[0]!.height = 5
        await mineFor(20_000)
        nodes[0]!.height = undefined
        nodes[1]!.mode = 'connect'
        chain.mine()
      },
    ],
  ])('%s is followed', async (_title, withinMs, jump) => {
    const scene = createScene({ count: 2 })
    await scene.mineFor(10_000)
    await jump(scene)
    const reached = scene.chain.head.number - 1
    await scene.mineFor(withinMs)
    expect(scene.view.head!.number).toBeGreaterThanOrEqual(reached)
    expect(scene.chain.at(scene.view.head!.number)!.hash).toBe(scene.view.head!.hash)
  })
})
