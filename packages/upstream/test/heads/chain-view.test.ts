import { createContext, RpcError } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { createScene, type Scene, settled } from './scene.ts'

/** Begins with all nodes at one head. */
async function begun(options: Parameters<typeof createScene>[0] = {}): Promise<Scene> {
  const scene = createScene(options)
  scene.view.wanted()
  await settled()
  return scene
}

const number = ({ view }: Scene): number | undefined => view.head?.number

describe('a chain view', () => {
  it('asks nobody before the first caller', async () => {
    const scene = createScene()
    await scene.run(10_000)
    expect(scene.nodes.flatMap(({ asked }) => asked)).toEqual([])
    expect(scene.view.head).toBeUndefined()
    expect(scene.clock.timers).toBe(0)
  })

  it('serves the head that all tell, with its hash and header', async () => {
    const scene = await begun()
    expect(scene.view.head).toEqual({ number: 99, hash: '0x0-99' })
    expect(scene.healthByName()).toBe('good good good')
    expect(scene.updates).toMatchObject([{ kind: 'new', at: { number: 99 } }])
    expect(scene.updates[0]?.header?.value()).toMatchObject({ parentHash: '0x0-98' })
  })

  it('follows the chain, within a quarter of its pace', async () => {
    const scene = await begun()
    await scene.mineFor(10_000)
    expect(number(scene)).toBe(109)
    expect(scene.updates.map(({ at }) => at.number)).toEqual([99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109])
  })

  it.each([
    [250, 40],
    [4_000, 25],
    [12_000, 25],
  ])('measures a pace of %d ms, and polls at it', async (blockMs, blocks) => {
    const scene = await begun()
    await scene.mineFor(blockMs * blocks, blockMs)
    expect(scene.view.blockTimeMs).toBeGreaterThan(blockMs * 0.8)
    expect(scene.view.blockTimeMs).toBeLessThan(blockMs * 1.25)
    const [{ asked } = { asked: [] }] = scene.nodes
    asked.length = 0
    await scene.mineFor(blockMs * 20, blockMs)
    expect(asked.length).toBeGreaterThanOrEqual(10)
    expect(asked.length).toBeLessThanOrEqual(60)
    expect(99 + blocks + 20 - number(scene)!).toBeLessThanOrEqual(1)
  })

  it('rests when callers have left, and wakes with the next one', async () => {
    const scene = await begun({ idleMs: 5_000 })
    await scene.run(20_000)
    expect(scene.clock.timers).toBe(0)
    scene.chain.mine(500)
    scene.view.wanted()
    await settled()
    expect(number(scene)).toBe(599)
    expect(scene.healthByName()).toBe('good good good')
    expect(scene.nodes[0]?.asked.filter((method) => method === 'chainId')).toHaveLength(2)
  })

  it('cancels its questions when it is closed, and asks no more', async () => {
    const scene = createScene()
    for (const node of scene.nodes) node.mode = 'hang'
    scene.view.wanted()
    const known = scene.view.known(scene.nodes[0]!.endpoint, createContext({ clock: scene.clock }))
    await settled()
    await scene.view.close()
    await known
    const asked = scene.nodes.flatMap((node) => node.asked).length
    await scene.run(30_000)
    scene.view.wanted()
    scene.view.promoted(scene.nodes[0]!.endpoint)
    await scene.run(30_000)
    expect(scene.nodes.flatMap((node) => node.asked)).toHaveLength(asked)
  })

  it('refuses an endpoint that it does not follow', async () => {
    const { view, nodes } = createScene()
    expect(() => view.of({ ...nodes[0]!.endpoint, name: 'stranger' })).toThrow(/stranger/)
  })

  it('asks the endpoints of one node once', async () => {
    const scene = createScene({ count: 2 })
    const other = createScene({
      count: 1,
      endpoints: [scene.nodes[0]!.endpoint, { ...scene.nodes[0]!.endpoint, carriesSubscriptions: true }],
    })
    other.view.wanted()
    await settled()
    expect(scene.nodes[0]!.asked).toEqual(['subscribe', 'chainId', 'latest'])
  })
})

describe('the chain id', () => {
  it('puts a node of another chain out by name, and keeps its head out of the served one', async () => {
    const scene = createScene()
    scene.nodes[0]!.chainId = '0x5'
    scene.nodes[0]!.latencyMs = 0
    scene.view.wanted()
    await settled()
    expect(scene.view.of(scene.nodes[0]!.endpoint)).toMatchObject({
      chain: 'wrong',
      reason: 'expected chain 0x1, got 0x5',
    })
    expect(scene.healthByName()).toBe('unknown good good')
    expect(scene.changes).toContain('a unknown wrong')
  })

  it('lets a node back in that names the right chain later', async () => {
    const scene = createScene()
    scene.nodes[0]!.chainId = '0x5'
    scene.view.wanted()
    await scene.run(1_000)
    scene.nodes[0]!.chainId = '0x1'
    await scene.mineFor(10_000)
    expect(scene.healthByName()).toBe('good good good')
  })

  it('leaves a node in use that does not answer the question, and asks again', async () => {
    const scene = createScene()
    scene.nodes[0]!.chainId = undefined
    scene.view.wanted()
    await settled()
    expect(scene.view.of(scene.nodes[0]!.endpoint)).toMatchObject({ chain: 'silent', health: 'good' })
    scene.nodes[0]!.chainId = '0x1'
    await scene.mineFor(6_000)
    expect(scene.view.of(scene.nodes[0]!.endpoint).chain).toBe('right')
  })

  it('gives a node no say that never named one, nor told a block of those that did', async () => {
    const scene = createScene({ count: 2 })
    const [strange, right] = scene.nodes
    strange!.chainId = undefined
    strange!.chain = scene.chain.fork('other')
    strange!.chain.mine(6)
    scene.chain.mine(5)
    scene.view.wanted()
    await settled()
    expect(scene.view.of(strange!.endpoint)).toMatchObject({ chain: 'silent', health: 'unknown', isStrange: true })
    expect(scene.view.of(right!.endpoint)).toMatchObject({ health: 'good', isStrange: false })
    expect(scene.view.head?.hash).toBe(scene.chain.head.hash)
    expect(scene.view.hasStrangers).toBe(true)
    strange!.chain = scene.chain
    await scene.mineFor(6_000)
    expect(scene.view.of(strange!.endpoint)).toMatchObject({ chain: 'silent', health: 'good', isStrange: false })
    expect(scene.view.hasStrangers).toBe(false)
  })

  it('is known at once where it was told, and waited for where not', async () => {
    const scene = createScene({ count: 1 })
    const { endpoint } = scene.nodes[0]!
    const context = createContext({ clock: scene.clock })
    scene.nodes[0]!.latencyMs = 100
    const known = scene.view.known(endpoint, context)
    expect(known).toBeInstanceOf(Promise)
    await scene.run(200)
    await known
    expect(scene.view.of(endpoint)).toMatchObject({ chain: 'right', health: 'good' })
    expect(scene.view.known(endpoint, context)).toBeUndefined()
  })

  it('is waited for until the others have told theirs, too, as long as no head is served', async () => {
    const scene = createScene({ count: 3 })
    const [stuck, b, c] = scene.nodes
    scene.chain.mine(50)
    stuck!.height = 0
    b!.latencyMs = 200
    c!.latencyMs = 300
    const settledAt: string[] = []
    void scene.view.known(stuck!.endpoint, createContext({ clock: scene.clock }))?.then(() => settledAt.push('stuck'))
    await scene.run(250)
    expect(settledAt).toEqual([])
    await scene.run(100)
    expect(settledAt).toEqual(['stuck'])
    expect(scene.view.of(stuck!.endpoint).health).toBe('behind')
  })

  it('does not stand where it stood, once its connection broke, until it has told its head again', async () => {
    const scene = await begun()
    await scene.mineFor(6_000)
    const [a, b] = scene.nodes
    expect(scene.view.of(a!.endpoint)).toMatchObject({ health: 'good', isLost: false })
    a!.height = 0
    a!.latencyMs = 100
    scene.view.failed(a!.endpoint, new RpcError('disconnected', 'the connection broke'))
    expect(scene.view.of(a!.endpoint)).toMatchObject({ health: 'unknown', isLost: true })
    expect(scene.view.of(b!.endpoint)).toMatchObject({ health: 'good', isLost: false })
    await scene.run(400)
    expect(scene.view.of(a!.endpoint)).toMatchObject({ health: 'behind', isLost: false })
  })

  it('counts as a loss of all once no other one is left, and each time that connections break until a head is told', async () => {
    const scene = await begun()
    const broke = new RpcError('disconnected', 'the connection broke')
    const [a] = scene.nodes
    scene.view.failed(a!.endpoint, broke)
    expect(scene.view.losses).toBe(0)
    await scene.mineFor(6_000)
    for (const { endpoint } of scene.nodes) scene.view.failed(endpoint, broke)
    expect(scene.view.losses).toBe(1)
    for (const node of scene.nodes) node.latencyMs = 1_000
    await scene.run(100)
    scene.view.failed(a!.endpoint, broke)
    expect(scene.view.losses).toBe(2)
  })

  it('is waited for no longer than a question takes, nor after the call was cancelled', async () => {
    const scene = createScene({ count: 2 })
    const settledAt: string[] = []
    const context = createContext({ clock: scene.clock })
    const [a, b] = scene.nodes
    a!.mode = b!.mode = 'hang'
    void scene.view.known(a!.endpoint, context)?.then(() => settledAt.push('a'))
    await scene.run(1_900)
    expect(settledAt).toEqual([])
    await scene.run(200)
    expect(settledAt).toEqual(['a'])
    const leaving = createContext({ clock: scene.clock })
    void scene.view.known(b!.endpoint, leaving)?.then(() => settledAt.push('b'))
    leaving.cancel(new RpcError('aborted', 'the caller left'))
    await settled()
    expect(settledAt).toEqual(['a'])
  })

  it('is asked again after a connection that broke, and a node of another chain is out', async () => {
    const scene = await begun()
    await scene.mineFor(3_000)
    const [a] = scene.nodes
    a!.chainId = '0x5'
    scene.view.failed(a!.endpoint, new RpcError('disconnected', 'the connection broke'))
    expect(scene.view.of(a!.endpoint)).toMatchObject({ chain: 'unknown', health: 'unknown' })
    expect(scene.view.known(a!.endpoint, createContext({ clock: scene.clock }))).toBeInstanceOf(Promise)
    await scene.run(500)
    expect(scene.view.of(a!.endpoint).chain).toBe('wrong')
  })

  it.each([5, 5_000])(
    'is asked again when the head is suddenly at %d, as no broken connection may be seen',
    async (height) => {
      const scene = await begun({ count: 1 })
      await scene.mineFor(3_000)
      const [a] = scene.nodes
      a!.chain = scene.chain.fork('other')
      a!.chain.mine(6_000)
      a!.height = height
      a!.chainId = '0x5'
      await scene.run(1_500)
      expect(scene.view.of(a!.endpoint).chain).toBe('wrong')
      expect(number(scene)).toBeLessThan(200)
    },
  )

  it('is not asked for each of many failures', async () => {
    const scene = await begun()
    await scene.mineFor(3_000)
    const [a] = scene.nodes
    a!.asked.length = 0
    for (let i = 0; i < 100; i++) {
      scene.view.failed(a!.endpoint, new RpcError('disconnected', 'the connection broke'))
      await scene.run(100)
    }
    expect(a!.asked.filter((method) => method === 'chainId').length).toBeLessThanOrEqual(6)
  })
})

describe('a node among three', () => {
  it('that is ahead of what the chain can have reached moves nothing', async () => {
    const scene = await begun()
    const liar = scene.chain.fork('liar')
    liar.mine(1_000)
    scene.nodes[0]!.chain = liar
    await scene.mineFor(5_000)
    expect(number(scene)).toBe(104)
    expect(scene.healthByName()).toBe('ahead good good')
    expect(scene.view.of(scene.nodes[0]!.endpoint).reason).toBe('tells block 1099, the others 104')
  })

  it('that is ahead from the beginning moves nothing either', async () => {
    const scene = createScene()
    const liar = scene.chain.fork('liar')
    liar.mine(1_000)
    scene.nodes[0]!.chain = liar
    scene.nodes[1]!.latencyMs = scene.nodes[2]!.latencyMs = 300
    scene.view.wanted()
    await scene.run(1_000)
    expect(scene.updates.map(({ at }) => at.number)).toEqual([99])
    expect(scene.healthByName()).toBe('ahead good good')
  })

  it.each([0, 1, 2])('that is stuck (%d) is behind within two seconds of more than the tolerated lag', async (i) => {
    const scene = await begun()
    scene.nodes[i]!.height = 99
    await scene.mineFor(3_000)
    await scene.run(2_000)
    expect(scene.view.of(scene.nodes[i]!.endpoint)).toMatchObject({ health: 'behind', lag: 3 })
    expect(number(scene)).toBe(102)
  })

  it.each([0, 1, 2])('that lags by twenty (%d) from the beginning is behind', async (i) => {
    const scene = createScene()
    scene.nodes[i]!.lag = 20
    scene.view.wanted()
    await settled()
    expect(number(scene)).toBe(99)
    expect(scene.view.of(scene.nodes[i]!.endpoint)).toMatchObject({ health: 'behind', lag: 20 })
  })

  it.each([0, 1, 2])('that returns at block 0 (%d) is not back until it stands where the others are', async (i) => {
    const scene = await begun()
    await scene.mineFor(3_000)
    const node = scene.nodes[i]!
    node.mode = 'connect'
    scene.view.failed(node.endpoint, new RpcError('connect', 'refused'))
    await scene.mineFor(3_000)
    expect(scene.view.of(node.endpoint)).toMatchObject({
      health: 'silent',
      reason: 'does not tell its head: connect',
    })
    node.mode = 'up'
    node.height = 0
    await scene.mineFor(2_000)
    expect(scene.view.of(node.endpoint).health).toBe('behind')
    node.height = undefined
    node.lag = 5
    await scene.mineFor(3_000)
    expect(scene.view.of(node.endpoint).health).toBe('behind')
    node.lag = 0
    await scene.mineFor(2_000)
    expect(scene.view.of(node.endpoint).health).toBe('good')
    expect(scene.updates.every(({ kind }) => kind === 'new')).toBe(true)
  })

  it('that hangs is silent after two seconds, and its silence stops nobody', async () => {
    const scene = await begun()
    await scene.mineFor(3_000)
    scene.nodes[0]!.mode = 'hang'
    await scene.mineFor(4_000)
    expect(scene.healthByName()).toBe('silent good good')
    expect(number(scene)).toBe(106)
  })

  it('that stumbles once in a while keeps its health', async () => {
    const scene = await begun()
    let calls = 0
    scene.nodes[0]!.flaky = () => ++calls % 3 === 0
    await scene.mineFor(20_000)
    expect(scene.changes.filter((change) => change.startsWith('a silent'))).toEqual([])
    expect(number(scene)).toBe(119)
  })

  it('that tells another fork is forked, and moves nothing', async () => {
    const scene = await begun()
    await scene.mineFor(3_000)
    const fork = scene.chain.fork('fork')
    fork.reorg(1)
    scene.nodes[0]!.chain = fork
    await scene.run(1_000)
    expect(scene.healthByName()).toBe('forked good good')
    expect(scene.view.head).toEqual({ number: 102, hash: '0x0-102' })
  })

  it('that goes on alone is not followed at first, and is when the others stand still', async () => {
    const scene = await begun()
    await scene.mineFor(5_000)
    for (const node of scene.nodes.slice(1)) node.height = scene.chain.head.number
    const stoodAt = number(scene)!
    await scene.mineFor(20_000)
    expect(number(scene)).toBe(stoodAt)
    await scene.mineFor(20_000)
    expect(number(scene)).toBe(scene.chain.head.number)
    expect(scene.healthByName()).toBe('good behind behind')
  })
})

describe('a chain that halts', () => {
  it('stays where it is, however long one node tells that it has gone on', async () => {
    const scene = await begun()
    await scene.mineFor(3_000)
    const liar = scene.chain.fork('liar')
    liar.mine(1_000)
    scene.nodes[0]!.chain = liar
    for (let i = 0; i < 60; i++) {
      liar.mine()
      scene.view.wanted()
      await scene.run(1_000)
    }
    expect(number(scene)).toBe(102)
  })
})

describe('a reorganisation', () => {
  it('of most drops what was served, and then serves the other fork', async () => {
    const scene = await begun()
    await scene.mineFor(3_000)
    scene.updates.length = 0
    scene.chain.reorg(1, 2)
    await scene.run(1_500)
    const reported = scene.updates.map(({ kind, at }) => `${kind} ${at.hash}`)
    expect(reported).toEqual(['dropped 0x0-102', 'new 0x1-103'])
    expect(scene.healthByName()).toBe('good good good')
  })

  it('drops each block whose successor was told, the highest first', async () => {
    const scene = await begun({ pushing: true })
    await scene.mineFor(3_000)
    scene.updates.length = 0
    scene.chain.reorg(2, 1)
    for (const node of scene.nodes) node.push()
    await scene.mineFor(1_000)
    expect(scene.updates.map(({ kind, at }) => `${kind} ${at.hash}`)).toEqual([
      'dropped 0x0-102',
      'dropped 0x0-101',
      'new 0x1-101',
      'new 0x1-102',
    ])
  })

  it('to a lower height is followed too', async () => {
    const scene = await begun()
    await scene.mineFor(3_000)
    scene.chain.reorg(2, 1)
    await scene.run(1_500)
    expect(scene.view.head).toEqual({ number: 101, hash: '0x1-101' })
    expect(scene.healthByName()).toBe('good good good')
  })
})

describe('one of two nodes', () => {
  it('does not make the first head alone while the other may still answer', async () => {
    const scene = createScene({ count: 2 })
    scene.nodes[0]!.height = 5
    scene.nodes[1]!.latencyMs = 500
    scene.view.wanted()
    await scene.run(400)
    expect(scene.view.head).toBeUndefined()
    // Its head, and then the parent of it.
    await scene.run(700)
    expect(scene.healthByName()).toBe('behind good')
    expect(scene.updates.map(({ at }) => at.number)).toEqual([99])
  })

  it('makes the first head alone where the other one is silent', async () => {
    const scene = createScene({ count: 2 })
    scene.nodes[0]!.mode = 'hang'
    scene.view.wanted()
    await scene.run(2_100)
    expect(number(scene)).toBe(99)
    expect(scene.healthByName()).toBe('silent good')
  })

  it.each([
    ['that its own node lacks', '0x6', undefined],
    ['that it refuses to give', '0x6', 'error'],
    ['that it never gives', '0x6', 'hang'],
    ['that it does not name', undefined, undefined],
  ] as const)(
    'that tells a first head with a parent %s is not believed, and the other one is served',
    async (_, parentHash, parents) => {
      const scene = createScene({ count: 2 })
      scene.nodes[0]!.lie = { number: 1_099, hash: '0x7', parentHash }
      scene.nodes[0]!.parents = parents
      scene.view.wanted()
      await scene.run(3_000)
      expect([number(scene), scene.healthByName()]).toEqual([99, 'ahead good'])
      await scene.mineFor(10_000)
      expect([number(scene), scene.healthByName()]).toEqual([109, 'ahead good'])
    },
  )

  it('that is ahead at first is served where neither gives blocks by their hashes', async () => {
    const scene = createScene({ count: 2 })
    for (const node of scene.nodes) node.parents = 'null'
    scene.nodes[1]!.height = 10
    scene.view.wanted()
    await scene.run(1_000)
    expect([number(scene), scene.healthByName()]).toEqual([99, 'good behind'])
  })

  it('that is a few blocks ahead is served at once where it has the parents', async () => {
    const scene = createScene({ count: 2 })
    scene.view.wanted()
    await scene.mineFor(10_000)
    scene.nodes[1]!.height = scene.chain.head.number
    scene.chain.mine(6)
    await scene.run(1_500, () => scene.view.wanted())
    expect([number(scene), scene.healthByName()]).toEqual([scene.chain.head.number, 'good behind'])
  })

  it('that is behind at first does not hold the other one, whose balancer has the parent at the third question', async () => {
    const scene = createScene({ count: 2 })
    scene.nodes[0]!.missedParents = 2
    scene.nodes[1]!.height = 10
    scene.view.wanted()
    await scene.run(400)
    expect(number(scene)).toBeUndefined()
    await scene.run(600)
    expect([number(scene), scene.healthByName()]).toEqual([99, 'good behind'])
  })

  it('is asked for no parent where both tell about the same head', async () => {
    const scene = createScene({ count: 2 })
    scene.nodes[1]!.lag = 1
    scene.view.wanted()
    await scene.mineFor(3_000)
    expect(scene.nodes.flatMap(({ asked }) => asked).filter((tag) => tag.includes('-'))).toEqual([])
  })

  it('that is stuck is behind, and the other one is followed', async () => {
    const scene = await begun({ count: 2 })
    scene.nodes[0]!.height = 99
    await scene.mineFor(4_000)
    expect(scene.healthByName()).toBe('behind good')
    expect(number(scene)).toBe(103)
  })

  it('that jumps ahead is not followed', async () => {
    const scene = await begun({ count: 2 })
    const liar = scene.chain.fork('liar')
    liar.mine(1_000)
    scene.nodes[1]!.chain = liar
    await scene.mineFor(5_000)
    expect(scene.healthByName()).toBe('good ahead')
    expect(number(scene)).toBe(104)
  })

  it('that was killed and returns at block 0 takes nothing back', async () => {
    const scene = await begun({ count: 2 })
    for (let i = 0; i < 4; i++) {
      const node = scene.nodes[i % 2]!
      await scene.mineFor(3_000)
      node.mode = 'connect'
      await scene.mineFor(3_000)
      node.mode = 'up'
      node.height = 0
      await scene.mineFor(3_000)
      expect(scene.view.of(node.endpoint).health).toBe('behind')
      node.height = undefined
      await scene.mineFor(2_000)
      expect(scene.healthByName()).toBe('good good')
    }
    expect(scene.updates.every(({ kind }) => kind === 'new')).toBe(true)
    expect(number(scene)).toBe(scene.chain.head.number)
  })
})

it.each([9, 50, 500])('two nodes that both fall back by %d blocks are believed after a second', async (by) => {
  const scene = await begun({ count: 2, height: 600 })
  await scene.mineFor(10_000)
  const { length } = scene.chain.blocks
  scene.chain.blocks.length = length - by
  await scene.run(2_500, () => scene.view.wanted())
  expect([number(scene), scene.healthByName()]).toEqual([length - by - 1, 'good good'])
})

it('two nodes that both fall back by a few blocks are waited for', async () => {
  const scene = await begun({ count: 2 })
  await scene.mineFor(10_000)
  const head = number(scene)!
  scene.chain.blocks.length -= 5
  await scene.run(10_000, () => scene.view.wanted())
  expect(number(scene)).toBe(head)
})

it('a fallback decides where two nodes tell forks at first', async () => {
  const scene = createScene({ isOnDemand: ({ name }) => name === 'c' })
  const liar = scene.chain.fork('liar')
  liar.reorg(1)
  scene.nodes[0]!.chain = liar
  scene.view.wanted()
  await scene.run(600)
  expect(scene.view.head).toEqual({ number: 99, hash: scene.chain.at(99)!.hash })
  expect(scene.healthByName()).toBe('forked good good')
})

describe('a node alone', () => {
  it('is believed when it goes forward, however far', async () => {
    const scene = await begun({ count: 1 })
    scene.chain.mine(10_000)
    await scene.run(2_000)
    expect(number(scene)).toBe(10_099)
  })

  it('that falls back is behind its own head for a minute, and then believed', async () => {
    const scene = await begun({ count: 1 })
    scene.nodes[0]!.height = 0
    const wanted = (): void => scene.view.wanted()
    await scene.run(50_000, wanted)
    expect(number(scene)).toBe(99)
    expect(scene.healthByName()).toBe('behind')
    await scene.run(15_000, wanted)
    expect(number(scene)).toBe(0)
    expect(scene.healthByName()).toBe('good')
    expect(scene.updates.map(({ kind, at }) => `${kind} ${at.number}`)).toEqual(['new 99', 'dropped 99', 'new 0'])
  })

  it('that falls back and catches up keeps its head', async () => {
    const scene = await begun({ count: 1 })
    scene.nodes[0]!.height = 0
    await scene.run(30_000)
    scene.nodes[0]!.height = undefined
    await scene.mineFor(5_000)
    expect(number(scene)).toBe(104)
    expect(scene.updates.every(({ kind }) => kind === 'new')).toBe(true)
  })

  it('is believed at once where its owner sets it back', async () => {
    const scene = await begun({ count: 1, holdMs: 0 })
    await scene.mineFor(3_000)
    scene.nodes[0]!.height = 50
    await scene.run(1_500)
    expect(number(scene)).toBe(50)
    expect(scene.healthByName()).toBe('good')
  })
})

describe('pushed heads', () => {
  it('are served at once, and save the polls', async () => {
    const scene = await begun({ pushing: true })
    await scene.mineFor(3_000)
    for (const { asked } of scene.nodes) asked.length = 0
    scene.chain.mine()
    for (const node of scene.nodes) node.push()
    expect(number(scene)).toBe(103)
    await scene.mineFor(10_000)
    expect(scene.nodes.flatMap(({ asked }) => asked)).toEqual([])
  })

  it('that stop are replaced by polls', async () => {
    const scene = await begun({ pushing: true })
    await scene.mineFor(3_000)
    for (const node of scene.nodes) node.sinks.clear()
    await scene.mineFor(6_000)
    expect(number(scene)).toBe(108)
  })

  it('are subscribed to again after a drop, which asks for the chain again', async () => {
    const scene = await begun({ pushing: true })
    await scene.mineFor(3_000)
    const [a] = scene.nodes
    a!.asked.length = 0
    a!.drop()
    await scene.mineFor(3_000)
    expect(a!.asked.toSorted()).toEqual(expect.arrayContaining(['chainId', 'latest', 'subscribe']))
    expect(a!.sinks.size).toBe(1)
  })

  it('are left when the view is closed', async () => {
    const scene = await begun({ pushing: true })
    expect(scene.nodes.map(({ sinks }) => sinks.size)).toEqual([1, 1, 1])
    await scene.view.close()
    expect(scene.nodes.map(({ sinks }) => sinks.size)).toEqual([0, 0, 0])
    expect(scene.clock.timers).toBe(0)
  })
})

describe('heads that callers see', () => {
  it('make the endpoint be asked soon, and move nothing by themselves', async () => {
    const scene = await begun({ blockTimeMs: 12_000 })
    await scene.run(2_000)
    const [a] = scene.nodes
    a!.asked.length = 0
    scene.view.observed(a!.endpoint, { number: 5_000 })
    expect(number(scene)).toBe(99)
    for (let i = 0; i < 40; i++) {
      scene.view.observed(a!.endpoint, { number: 5_000 })
      await scene.run(50)
    }
    expect(a!.asked.length).toBeGreaterThan(0)
    expect(a!.asked.length).toBeLessThanOrEqual(3)
    expect(number(scene)).toBe(99)
  })
})

describe('an endpoint on demand', () => {
  it('is asked nothing until it is promoted, and rests again afterwards', async () => {
    const scene = createScene({ isOnDemand: ({ name }) => name === 'c', idleMs: 5_000 })
    const [, , c] = scene.nodes
    scene.view.wanted()
    await scene.mineFor(5_000)
    expect(c!.asked).toEqual([])
    scene.view.promoted(c!.endpoint)
    await settled()
    expect(scene.healthByName()).toBe('good good good')
    await scene.mineFor(6_000)
    c!.asked.length = 0
    await scene.mineFor(5_000)
    expect(c!.asked).toEqual([])
    expect(number(scene)).toBe(scene.chain.head.number)
  })
})

describe('safe and finalized blocks', () => {
  it('are asked for only when somebody wants them', async () => {
    const scene = await begun()
    await scene.mineFor(20_000)
    expect(scene.nodes[0]!.asked).not.toContain('finalized')
    expect(scene.view.finalized).toBeUndefined()
    scene.view.wanted('finalized')
    await scene.mineFor(3_000)
    expect(scene.view.finalized?.number).toBeGreaterThan(80)
    expect(scene.view.safe).toBeUndefined()
  })

  it('are those that most have reached: neither a liar nor a laggard moves them', async () => {
    const scene = createScene({ count: 5 })
    const [a, b] = scene.nodes
    a!.safeLag = 0
    b!.safeLag = 40
    scene.view.wanted('safe')
    await settled()
    expect(scene.view.safe).toEqual({ number: 83, hash: '0x0-83' })
    expect(scene.view.of(b!.endpoint).safe?.number).toBe(59)
  })
})

describe('a look', () => {
  it('asks nodes that nobody follows for their chain, and follows none', async () => {
    const scene = createScene({ isOnDemand: ({ name }) => name === 'c' })
    const [a, b, c] = scene.nodes
    b!.chainId = '0x5'
    c!.mode = 'connect'
    const looks = scene.nodes.map(({ endpoint }) => scene.view.look(endpoint))
    await settled()
    await Promise.all(looks)
    expect(scene.nodes.map(({ asked }) => asked)).toEqual([['chainId'], ['chainId'], ['chainId']])
    expect(scene.view.of(a!.endpoint)).toMatchObject({ chain: 'right', isThere: true, silence: undefined })
    expect(scene.view.of(b!.endpoint)).toMatchObject({ chain: 'wrong', isThere: false })
    expect(scene.view.of(c!.endpoint)).toMatchObject({
      chain: 'silent',
      isThere: false,
      silence: 'the node is out of order',
    })
    await scene.run(999)
    expect(scene.view.look(a!.endpoint)).toBeUndefined()
    await scene.run(1)
    expect(scene.view.look(a!.endpoint)).toBeInstanceOf(Promise)
    await scene.run(60_000)
    expect(scene.view.look(c!.endpoint)).toBeUndefined()
    await scene.run(30_000)
    expect(scene.view.look(c!.endpoint)).toBeInstanceOf(Promise)
    await settled()
    expect(scene.clock.timers).toBe(0)
  })

  it('asks no node that is followed', async () => {
    const scene = await begun()
    await scene.mineFor(5_000)
    expect(scene.nodes.map(({ endpoint }) => scene.view.look(endpoint))).toEqual([undefined, undefined, undefined])
  })

  it('knows a node that tells its head and no chain', async () => {
    const scene = createScene()
    const [a] = scene.nodes
    a!.chainId = undefined
    scene.view.wanted()
    await settled()
    expect(scene.view.of(a!.endpoint)).toMatchObject({
      chain: 'silent',
      isThere: true,
      silence: 'expected chain 0x1, got error -32601',
    })
    a!.mode = 'hang'
    await scene.mineFor(8_000)
    expect(scene.view.of(a!.endpoint).isThere).toBe(false)
  })
})

describe('the head after an answer', () => {
  const asks = ({ asked }: { readonly asked: readonly string[] }): number =>
    asked.filter((what) => what === 'latest').length

  it('is asked for by a question that begins later, which all share who wait for it', async () => {
    const scene = await begun()
    const [a] = scene.nodes
    a!.latencyMs = 100
    a!.asked.length = 0
    const early = scene.view.headAfter(a!.endpoint)
    await settled()
    await scene.run(50)
    const later = Array.from({ length: 20 }, () => scene.view.headAfter(a!.endpoint))
    await scene.run(50)
    scene.chain.reorg(6, 1)
    await scene.run(150)
    expect((await early)?.number).toBe(99)
    expect(new Set((await Promise.all(later)).map((head) => head?.number))).toEqual(new Set([94]))
    expect(asks(a!)).toBe(2)
    expect(scene.view.of(a!.endpoint).head?.number).toBe(94)
  })

  it('is asked for anew each time, ten times a second at most', async () => {
    const scene = await begun()
    const [a] = scene.nodes
    const first = scene.view.headAfter(a!.endpoint)
    await settled()
    expect((await first)?.number).toBe(99)
    a!.asked.length = 0
    scene.chain.mine()
    let reported = 0
    for (let i = 0; i < 20; i++) {
      void scene.view.headAfter(a!.endpoint).then((head) => (reported = head?.number ?? -1))
      await scene.run(50)
    }
    expect(reported).toBe(100)
    expect(asks(a!)).toBeGreaterThanOrEqual(8)
    // Ten, and the polls of the view.
    expect(asks(a!)).toBeLessThanOrEqual(14)
  })

  it('is undefined where the node does not tell it, is of another chain, or the view closes', async () => {
    const scene = createScene()
    const [a, b, c] = scene.nodes
    a!.mode = 'connect'
    b!.chainId = '0x5'
    scene.view.wanted()
    await settled()
    expect(scene.view.of(b!.endpoint).chain).toBe('wrong')
    const [ofA, ofB] = [scene.view.headAfter(a!.endpoint), scene.view.headAfter(b!.endpoint)]
    await scene.run(300)
    expect([await ofA, await ofB]).toEqual([undefined, undefined])
    void scene.view.headAfter(c!.endpoint)
    await settled()
    const waiting = scene.view.headAfter(c!.endpoint)
    await scene.view.close()
    expect(await waiting).toBeUndefined()
    expect(scene.clock.timers).toBe(0)
  })
})

it('has the header of the served head while heads are followed', async () => {
  const scene = createScene({ idleMs: 5_000 })
  expect(scene.view.header).toBeUndefined()
  scene.view.wanted()
  await settled()
  expect(scene.view.header?.value()).toMatchObject({ number: 99 })
  await scene.run(6_000)
  expect(scene.view.header).toBeUndefined()
})
