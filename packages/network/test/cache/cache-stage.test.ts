import { createLog } from '@wayleave/telemetry'
import {
  coalesce,
  createContext,
  type RawJson,
  rawJsonFromValue,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { cacheOutcome, createMemoryStore, type KeptAnswer } from '@wayleave/rpc-cache'
import type { HeadUpdate, Position } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { networkKinds } from '../../src/kinds/index.ts'
import { createCacheStage } from '../../src/cache/cache-stage.ts'
import type { NetworkAnswers } from '../../src/cache/shared-answer-cache.ts'
import { createRewrittenChains } from '@wayleave/network'
import type { Chain } from '../../src/heads/chain.ts'
import { shareKey } from '../../src/pipeline.ts'

const kind = networkKinds.evm
const word = (height: number, fork = 0): string => `0x${(height * 16 + fork).toString(16).padStart(64, '0')}`
const account = `0x${'11'.repeat(20)}`

/** A log whose data is the node's answer. */
const log = { blockNumber: '0xc8', blockHash: word(200), transactionHash: word(7), address: account, topics: [] }

/** The parts that outlive a stage. */
const lasting = () => ({
  clock: new FakeClock(),
  life: {
    rewritten: Object.assign(
      createRewrittenChains(createLog({ level: 'silent' }), { chainsReplaced: () => ({ add() {} }) }).of(
        'mainnet',
        'mainnet:1',
      ),
      { epoch: 'first' },
    ),
    written: new Set<(tenant: string | undefined, isReset: boolean) => void>(),
  },
  store: createMemoryStore({ maxBytes: 4_194_304 }),
})

/** A stage over a node that numbers its answers, a chain that a test moves, and a cache that other processes share. */
function createScene({ held = ['eth_gasPrice'], finality = 8, parts = lasting() } = {}) {
  const { clock, life, store } = parts
  const listeners = new Set<(update: HeadUpdate) => void>()
  const asks: ((head: Position | undefined) => void)[] = []
  const view = { head: undefined as Position | undefined, finalized: undefined as Position | undefined }
  const chain = {
    view: {
      ...view,
      losses: 0,
      blockTimeMs: 2_000,
      wanted() {},
      watch(listener: (update: HeadUpdate) => void) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      headAfter: () => new Promise<Position | undefined>((resolve) => asks.push(resolve)),
      of: () => ({ health: 'good', chain: 'right', isStrange: false, isLost: false, head: chain.view.head }),
    },
    headToPin: () => chain.view.head,
    pollSoon() {},
  }
  const others = new Map<string, KeptAnswer>()
  const shared: NetworkAnswers = {
    get: async (key) => others.get(key),
    set: (key, kept) => void others.set(key, kept),
    read: async (key) => others.get(key),
  }
  let asked = 0
  let present = 0
  const hashes = { asked: 0, at: async (height: number): Promise<string | undefined> => word(height, present) }
  const stage = createCacheStage({
    partition: 'mainnet',
    kind,
    cache: kind.cache!,
    reader: kind.heads('0x1'),
    chain: chain as unknown as Chain,
    life,
    store,
    shared,
    verified: undefined,
    keepsUnproven: true,
    hashAt: (height) => {
      hashes.asked++
      return hashes.at(height)
    },
    onOutcome() {},
    clock,
  })
  const waiting: ((result: string) => void)[] = []
  const node = async ({ method }: RpcRequest): Promise<RpcResponse> => {
    const isHeld = held.includes(method)
    const text = isHeld ? await new Promise((resolve) => waiting.push(resolve)) : `0x${(++asked).toString(16)}`
    const result = method === 'eth_getLogs' ? [{ ...log, data: text }] : text
    return { result: rawJsonFromValue(result), meta: { endpoint: 'node' } }
  }
  const share = coalesce({ clock, maxSharedBytes: 1_000, key: shareKey })
  const handler = stage.wrap(share(node), undefined)
  return {
    clock,
    others,
    /** Tells the hashes of blocks where the cache asks the nodes for them. */
    hashes,
    /** All upstreams are lost, as where the connection to the only one breaks. */
    lose: () => void chain.view.losses++,
    /** Give the head of the node where it is asked for it after an answer, in turn. */
    asks,
    /** Give the results of calls that are held, in turn. */
    waiting,
    close: stage.close,
    /** Serves a head, whose parent is the one before unless a fork is given. */
    move(number: number, fork = 0) {
      present = fork
      const header = rawJsonFromValue({
        number: `0x${number.toString(16)}`,
        hash: word(number, fork),
        parentHash: word(number - 1, fork),
        timestamp: `0x${Math.floor(clock.date() / 1_000).toString(16)}`,
      })
      chain.view.head = { number, hash: word(number, fork) }
      chain.view.finalized = { number: number - finality, hash: word(number - finality, fork) }
      for (const listener of listeners) listener({ kind: 'new', at: chain.view.head, header } as unknown as HeadUpdate)
    },
    /** Drops the served head, as where another block is to follow. */
    drop() {
      for (const listener of listeners) listener({ kind: 'dropped', at: chain.view.head! })
    },
    async call(method: string, params: readonly unknown[] = [], tenant?: string) {
      const context = createContext({ clock, ...(tenant !== undefined && { tenant }) })
      const request = { method, params: rawJsonFromValue(params), notification: false }
      const response = await handler(request, context).finally(() => context.release())
      const text = (response.result as RawJson | undefined)?.text()
      return [text && (/"data":("0x[^"]*")/.exec(text)?.[1] ?? text), cacheOutcome.of(response.meta)] as const
    },
  }
}

const settled = (): Promise<unknown> => new Promise((resolve) => void setImmediate(resolve))
const balance = ['eth_getBalance', [account, 'latest']] as const

it('a command of a development node forgets what other processes keep, too', async () => {
  const { call, move, others, clock } = createScene()
  move(100)
  const final = ['eth_getBalance', [account, '0x5']] as const
  expect(await call(...final)).toEqual(['"0x1"', 'miss'])
  expect(others.size).toBe(1)
  await call('evm_revert', ['0x1'])
  clock.advance(1_000)
  expect((await call(...final))[1]).toBe('miss')
})

it('a command that ends in a network that was replaced forgets what the next one keeps', async () => {
  const parts = lasting()
  const before = createScene({ parts, held: ['anvil_reset'] })
  const final = ['eth_getBalance', [account, '0x5']] as const
  before.move(100)
  expect(await before.call(...final)).toEqual(['"0x1"', 'miss'])
  const reset = before.call('anvil_reset')
  const after = createScene({ parts })
  after.move(100)
  before.close()
  expect((await after.call(...final))[1]).toBe('hit')
  before.waiting[0]!('true')
  await reset
  parts.clock.advance(1_000)
  expect((await after.call(...final))[1]).toBe('miss')
  after.close()
  expect(parts.life.written.size).toBe(0)
})

it('a caller whose write ends in a network that was replaced asks the nodes of the next one', async () => {
  const parts = lasting()
  const before = createScene({ parts, held: ['eth_sendRawTransaction'] })
  before.move(100)
  const write = before.call('eth_sendRawTransaction', ['0x02'], 'mine')
  const after = createScene({ parts })
  after.move(100)
  before.close()
  await after.call(...balance, 'mine')
  expect((await after.call(...balance, 'mine'))[1]).toBe('hit')
  before.waiting[0]!(word(1))
  await write
  expect((await after.call(...balance, 'mine'))[1]).toBeUndefined()
  expect((await after.call(...balance, 'other'))[1]).toBe('hit')
})

it('a chain that begins anew below its final blocks leaves no answer of the old one', async () => {
  const { call, drop, move, others } = createScene()
  move(200)
  const final = ['eth_getBalance', [account, '0x5']] as const
  expect(await call(...final)).toEqual(['"0x1"', 'miss'])
  expect((await call(...final))[1]).toBe('hit')
  // The one head that was served lies above the finalized block, so that no drop tells of those below.
  drop()
  move(3, 1)
  for (let height = 4; height < 40; height++) move(height, 1)
  expect(await call(...final)).toEqual(['"0x2"', 'miss'])
  // Its shared answers have another name, beside one of its final blocks.
  await call(...final)
  await settled()
  await call('eth_getBalance', [account, '0x6'])
  const newName = word(31, 1)
  expect([...others].map(([key, { body }]) => [key.slice(0, 66), body])).toEqual([
    [expect.stringMatching(/^first mainnet/), '"0x1"'],
    ['chain', JSON.stringify([newName, 31, newName])],
    [newName, '"0x3"'],
  ])
})

it('what a provider simulates forgets nothing', async () => {
  const { call, move } = createScene()
  move(100)
  const first = await call(...balance)
  await call('tenderly_simulateTransaction', [{}, 'latest'], 'other')
  expect(await call(...balance)).toEqual([first[0], 'hit'])
  await call('tenderly_setBalance', [account, '0x1'], 'other')
  expect((await call(...balance))[1]).toBeUndefined()
})

it('a method that no table has counts as a write if it sends something by its name; neither another one nor a subscription does', async () => {
  const { call, move } = createScene()
  move(100)
  await call(...balance, 'mine')
  for (const method of ['eth_subscribe', 'eth_foo', 'foo_getSender', 'hardhat_getAutomine']) {
    await call(method, ['newHeads'], 'mine')
    expect((await call(...balance, 'mine'))[1]).toBe('hit')
  }
  for (const method of ['foo_sendBundle', 'eth_submitFoo', 'anvil_mine']) {
    await call(method, [{}], method)
    expect((await call(...balance, method))[1]).toBeUndefined()
  }
})

it('a caller who wrote asks the nodes for a second, as the next head may be of before', async () => {
  const { call, move, clock } = createScene()
  move(100)
  await call('eth_sendRawTransaction', ['0x02'], 'mine')
  move(101)
  expect((await call(...balance, 'mine'))[1]).toBeUndefined()
  expect((await call(...balance, 'other'))[1]).toBe('miss')
  clock.advance(1_000)
  expect((await call(...balance, 'mine'))[1]).toBe('hit')
})

it('prices of one head do not wait for those of the next one', async () => {
  const { call, move, waiting } = createScene()
  move(100)
  const first = call('eth_gasPrice')
  await settled()
  move(101)
  const second = call('eth_gasPrice')
  await settled()
  expect(waiting).toHaveLength(2)
  waiting[0]!('0x1')
  waiting[1]!('0x2')
  expect(await Promise.all([first, second])).toEqual([
    ['"0x1"', 'miss'],
    ['"0x2"', 'miss'],
  ])
  expect(await call('eth_gasPrice')).toEqual(['"0x2"', 'hit'])
})

describe('logs of a range above the finalized block', () => {
  const range = ['eth_getLogs', [{ fromBlock: '0x64', toBlock: '0xc8' }]] as const
  /** A chain whose head is block 230: 200 is 30 blocks, a minute, below it. */
  const begin = () => {
    const scene = createScene({ finality: 96 })
    scene.move(230)
    return scene
  }

  it('are kept once their node has told a head of them again, until a reorganisation', async () => {
    const { call, move, drop, asks } = begin()
    expect(await call(...range)).toEqual(['"0x1"', 'miss'])
    expect(await call(...range)).toEqual(['"0x2"', 'miss'])
    for (const report of asks.splice(0)) report({ number: 230, hash: word(230) })
    await settled()
    expect(await call(...range)).toEqual(['"0x1"', 'hit'])
    move(231)
    expect(await call(...range)).toEqual(['"0x1"', 'hit'])
    drop()
    move(231, 1)
    expect(await call(...range)).toEqual(['"0x3"', 'miss'])
  })

  it.each([
    ['has lost them, as after a restart', { number: 199, hash: word(199) }],
    ['tells no head any more', undefined],
  ] as const)('are not kept where their node %s', async (_what, head) => {
    const { call, asks } = begin()
    await call(...range)
    asks[0]!(head)
    await settled()
    expect(await call(...range)).toEqual(['"0x2"', 'miss'])
  })

  it('are not kept where blocks were replaced before the node told its head', async () => {
    const { call, move, drop, asks } = begin()
    await call(...range)
    drop()
    move(230, 1)
    asks[0]!({ number: 230, hash: word(230, 1) })
    await settled()
    expect(await call(...range)).toEqual(['"0x2"', 'miss'])
  })

  it('are asked once more when they are final, and no head is asked for then', async () => {
    const { call, move, asks } = begin()
    await call(...range)
    asks.splice(0)[0]!({ number: 230, hash: word(230) })
    await settled()
    expect(await call(...range)).toEqual(['"0x1"', 'hit'])
    move(300)
    expect(await call(...range)).toEqual(['"0x2"', 'miss'])
    expect(await call(...range)).toEqual(['"0x2"', 'hit'])
    expect(asks).toEqual([])
  })

  it('are not kept near the head, nor asked about', async () => {
    const { call, asks } = begin()
    const near = ['eth_getLogs', [{ fromBlock: '0x64', toBlock: '0xc9' }]] as const
    expect(await call(...near)).toEqual(['"0x1"', undefined])
    expect(await call(...near)).toEqual(['"0x2"', undefined])
    expect(asks).toEqual([])
  })

  it('wait for heads up to 256 at a time', async () => {
    const { call, asks } = begin()
    for (let i = 0; i < 300; i++) {
      const address = `0x${i.toString(16).padStart(40, '0')}`
      await call('eth_getLogs', [{ fromBlock: '0x64', toBlock: '0xc8', address }])
    }
    expect(asks).toHaveLength(256)
  })
})

it('a chain that a command has changed is shared no more, and its nodes are not asked for final blocks for that', async () => {
  const { call, move, clock, hashes } = createScene()
  move(100)
  await call('anvil_reset')
  clock.advance(1_000)
  move(101)
  hashes.asked = 0
  for (let second = 0; second < 30; second++) {
    await call('eth_getBalance', [account, '0x5'])
    clock.advance(1_000)
  }
  expect(hashes.asked).toBe(0)
})

it('nodes that lack the block beside which the shared answers are named are asked for it ever more seldom, and name no others', async () => {
  const parts = lasting()
  Object.assign(parts.life.rewritten, { epoch: undefined })
  const { call, move, clock, hashes, others } = createScene({ parts })
  const body = JSON.stringify(['before', 500, word(500)])
  others.set('chain', { body, byteLength: body.length, isFinal: true } as KeptAnswer)
  hashes.at = async (height) => (height === 500 ? undefined : word(height))
  move(100)
  const askedAt: number[] = []
  for (let second = 0; second < 100; second++) {
    const before = hashes.asked
    await call('eth_getBalance', [account, '0x5'])
    await settled()
    if (hashes.asked > before) askedAt.push(second)
    clock.advance(1_000)
  }
  expect(askedAt.length).toBeLessThan(10)
  expect(others.get('chain')?.body).toBe(body)
  hashes.at = async (height) => word(height)
  clock.advance(30_000)
  await call('eth_getBalance', [account, '0x5'])
  await settled()
  expect(parts.life.rewritten.epoch).toBe('before')
})

describe('after all upstreams were lost', () => {
  const final = ['eth_getBalance', [account, '0x5']] as const

  /** A scene that has kept an answer about a final block, and an answer to the question for the hash of one, which a test gives. */
  async function begin() {
    const scene = createScene()
    scene.move(100)
    expect(await scene.call(...final)).toEqual(['"0x1"', 'miss'])
    expect(await scene.call(...final)).toEqual(['"0x1"', 'hit'])
    await settled()
    scene.clock.advance(1_000)
    let report = (_hash: string | undefined): void => {}
    scene.hashes.at = () => new Promise((resolve) => (report = resolve))
    scene.hashes.asked = 0
    scene.lose()
    return { ...scene, report: (hash: string | undefined) => report(hash) }
  }

  it('a call that waits for that ends by its deadline', async () => {
    const { call, report, clock } = await begin()
    let end: unknown
    const waits = call(...final).catch((thrown: unknown) => (end = thrown))
    await settled()
    expect(end).toBeUndefined()
    clock.advance(30_000)
    await settled()
    expect(end).toMatchObject({ code: 'timeout' })
    report(word(92))
    await waits
  })

  it('kept answers about blocks wait for the nodes to name a final block, and no other calls do', async () => {
    const { call, report, hashes } = await begin()
    let isReported = false
    const waits = call(...final).finally(() => (isReported = true))
    expect(await call('eth_getBalance', [account, 'pending'])).toEqual(['"0x2"', undefined])
    expect(await call('eth_getBalance', [account, '0x6'])).toEqual(['"0x3"', 'miss'])
    expect((await call('eth_chainId'))[0]).toBe('"0x4"')
    await settled()
    expect([isReported, hashes.asked]).toEqual([false, 1])
    report(word(92))
    expect(await waits).toEqual(['"0x1"', 'hit'])
  })

  it('a kept answer that waits is asked for again where the nodes have another chain', async () => {
    const { call, report } = await begin()
    const waits = call(...final)
    await settled()
    report(word(92, 1))
    expect((await waits)[0]).toBe('"0x2"')
  })

  it('no other process is told an answer before the chain is known to be the same', async () => {
    const { call, report, others, clock } = await begin()
    const before = others.size
    await call('eth_getBalance', [account, '0x6'])
    expect(others.size).toBe(before)
    report(word(92))
    await settled()
    clock.advance(1_000)
    await call('eth_getBalance', [account, '0x7'])
    expect(others.size).toBeGreaterThan(before)
  })

  it('nodes that do not answer are asked ever more seldom, at least each half minute, and kept answers are given meanwhile', async () => {
    const { call, clock, hashes } = await begin()
    hashes.at = async () => undefined
    const askedAt: number[] = []
    for (let second = 0; second < 100; second++) {
      const before = hashes.asked
      expect(await call(...final)).toEqual(['"0x1"', 'hit'])
      if (hashes.asked > before) askedAt.push(second)
      clock.advance(1_000)
    }
    expect(askedAt).toEqual([0, 1, 3, 7, 15, 31, 61, 91])
  })

  it('nodes that tell a head that does not follow on the one before are asked at once', async () => {
    const { call, clock, hashes, move } = await begin()
    hashes.at = async () => undefined
    for (let second = 0; second < 20; second++) {
      await call(...final)
      clock.advance(1_000)
    }
    const before = hashes.asked
    move(120)
    await call(...final)
    expect(hashes.asked).toBe(before + 1)
  })
})
