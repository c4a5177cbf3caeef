import { createContext, rawJsonFromText, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import { handlerLaws, peerHandler } from '@wayleave/jsonrpc-core/testing'
import { cacheOutcome, createMemoryStore, createRpcCache } from '@wayleave/rpc-cache'
import { describe, expect, it } from 'vitest'
import { FakeChain } from './fake-chain.ts'
import { createScene, createSlowNode, requestOf } from './scene.ts'

const answering =
  (text: string): RpcHandler =>
  async () => ({ result: rawJsonFromText(text) })

describe('the cache', () => {
  it('answers a second call without a node, and says so', async () => {
    const { lives, asked, call, outcomes } = createScene()
    lives.set('fixed', { of: 'params' })
    expect(await call('fixed')).toEqual(['"answer 1"', 'miss'])
    expect(await call('fixed')).toEqual(['"answer 1"', 'hit'])
    expect(await call('fixed', '[1]')).toEqual(['"answer 2"', 'miss'])
    expect(asked).toHaveLength(2)
    expect(outcomes).toEqual(['fixed miss 0', 'fixed hit 10', 'fixed miss 0'])
  })

  it('passes calls that are not classified, without an outcome', async () => {
    const { call, outcomes, store } = createScene()
    expect(await call('write')).toEqual(['"answer 1"', undefined])
    expect(await call('write')).toEqual(['"answer 2"', undefined])
    expect([outcomes, store.entries]).toEqual([[], 0])
  })

  it('sends the pinned request in place of the one that came', async () => {
    const ask = requestOf('pinned')
    const { asked, call } = createScene({ classify: () => ({ key: 'k', life: { of: 'params' }, ask }) })
    await call('head')
    expect(asked).toEqual([ask])
  })

  it.each([
    ['an error', async () => ({ error: { code: 3, message: 'reverted' } })],
    ['a subscription', async () => ({ result: rawJsonFromText('1'), subscription: { id: '1', open: () => () => {} } })],
  ] as [string, RpcHandler][])('keeps no %s', async (_, node) => {
    const { lives, call, asked } = createScene({ node })
    lives.set('fixed', { of: 'params' })
    expect((await call('fixed'))[1]).toBe('miss')
    expect((await call('fixed'))[1]).toBe('miss')
    expect(asked).toHaveLength(2)
  })

  it('keeps no answer that its host refuses, and tells it whether the answer is final', async () => {
    const reported: boolean[] = []
    const admits = (_: unknown, __: unknown, ___: unknown, isFinal: boolean): boolean => reported.push(isFinal) > 2
    const { lives, call } = createScene({ admits })
    lives.set('old', { of: 'numbers', to: 90 })
    lives.set('new', { of: 'numbers', to: 91 })
    await call('old')
    await call('new')
    expect(reported).toEqual([true, false])
    expect((await call('old'))[1]).toBe('miss')
    expect((await call('old'))[1]).toBe('hit')
  })

  it('keeps an answer that cannot be judged at once when it can be, if nothing was replaced meanwhile', async () => {
    const judging: ((isJudged: boolean) => void)[] = []
    const judgedLater = () => new Promise<boolean>((resolve) => judging.push(resolve))
    const { lives, call, chain, asked } = createScene({ judgedLater })
    lives.set('new', { of: 'numbers', to: 91 })
    const judge = async (isJudged: boolean): Promise<void> => {
      judging.shift()!(isJudged)
      await Promise.resolve()
    }
    await call('new')
    await judge(false)
    await call('new')
    chain.reorg(90)
    await judge(true)
    expect(await call('new')).toEqual(['"answer 3"', 'miss'])
    await judge(true)
    expect(await call('new')).toEqual(['"answer 3"', 'hit'])
    expect(asked).toHaveLength(3)
  })

  it('asks a node again for a caller who wants that, and keeps its answer', async () => {
    let isSkipped = true
    const { lives, call } = createScene({ skip: () => isSkipped })
    lives.set('fixed', { of: 'params' })
    await call('fixed')
    expect(await call('fixed')).toEqual(['"answer 2"', 'miss'])
    isSkipped = false
    expect(await call('fixed')).toEqual(['"answer 2"', 'hit'])
  })

  it('gives back the mark that it kept beside an answer', async () => {
    const { lives, handler } = createScene({ markOf: () => 'proven', metaOf: (mark) => ({ endpoint: mark }) })
    lives.set('fixed', { of: 'params' })
    await handler(requestOf('fixed'), createContext())
    const { meta } = await handler(requestOf('fixed'), createContext())
    expect(meta?.endpoint).toBe('proven')
    expect(cacheOutcome.of(meta)).toBe('hit')
  })

  it.each([
    ['text that is not ASCII', '"é€😀"'],
    ['numbers beyond doubles', '[12345678901234567890,1e400,-0]'],
    ['a long result', JSON.stringify('a'.repeat(40_000))],
  ])('gives back %s byte for byte', async (_, text) => {
    const { lives, call } = createScene({ node: answering(text) })
    lives.set('fixed', { of: 'params' })
    await call('fixed')
    expect(await call('fixed')).toEqual([text, 'hit'])
  })

  it('passes bytes that are not UTF-8 to their reader, and keeps none', async () => {
    const broken = { ...rawJsonFromText('"a"'), byteLength: 3, chunks: () => [new Uint8Array([34, 0xff, 34])] }
    const { lives, asked, handler } = createScene({ node: async () => ({ result: broken }) })
    lives.set('fixed', { of: 'params' })
    for (let i = 0; i < 2; i++) expect((await handler(requestOf('fixed'), createContext())).result).toBe(broken)
    expect(asked).toHaveLength(2)
  })

  it('passes a result that is not JSON although its place cannot be read', async () => {
    const { lives, call, asked } = createScene({ node: answering('{') })
    lives.set('receipt', { of: 'answer' })
    expect(await call('receipt')).toEqual(['{', 'miss'])
    expect(await call('receipt')).toEqual(['{', 'miss'])
    expect(asked).toHaveLength(2)
  })

  it('serves nothing and asks nobody for a call that was cancelled', async () => {
    const { lives, call, asked } = createScene()
    lives.set('fixed', { of: 'params' })
    await call('fixed')
    const context = createContext()
    context.cancel(new RpcError('aborted', 'the test aborts'))
    await expect(call('fixed', '[]', context)).rejects.toThrow('the test aborts')
    expect(asked).toHaveLength(1)
  })

  it('passes all calls once it is closed, and listens to the chain no longer', async () => {
    const { lives, call, cache, chain } = createScene()
    lives.set('fixed', { of: 'params' })
    await call('fixed')
    cache.close()
    expect(await call('fixed')).toEqual(['"answer 2"', undefined])
    expect(chain.listeners.size).toBe(0)
  })

  it('leaves its partitions to be forgotten when it is closed, however often', async () => {
    const { cache, store } = createScene()
    const names = ['mainnet', 'mainnet latest']
    const opened = names.map((name) => store.partition(name))
    cache.close()
    cache.close()
    expect(names.map((name) => store.partition(name))).toEqual(opened)
    for (const partition of opened) [0, 1].forEach(() => partition.close())
    for (const [i, name] of names.entries()) expect(store.partition(name)).not.toBe(opened[i])
  })

  it('drops at its close what a reorg could drop, since nobody would tell', async () => {
    const { lives, call, cache, store } = createScene()
    lives.set('final', { of: 'numbers', to: 90 })
    lives.set('new', { of: 'numbers', to: 91 })
    await call('final')
    await call('new')
    cache.close()
    expect(store.entries).toBe(1)
  })
})

describe('answers about blocks by number', () => {
  it('are kept up to the served head, and not above', async () => {
    const { lives, call } = createScene()
    lives.set('at', { of: 'numbers', to: 100 })
    lives.set('above', { of: 'numbers', to: 101 })
    await call('at')
    await call('above')
    expect((await call('at'))[1]).toBe('hit')
    expect((await call('above'))[1]).toBe('miss')
  })

  it('are dropped by a reorg at or below the last of them, and else stay', async () => {
    const { lives, call, chain } = createScene()
    lives.set('low', { of: 'numbers', to: 95 })
    lives.set('high', { of: 'numbers', to: 96 })
    await call('low')
    await call('high')
    chain.reorg(95)
    expect((await call('low'))[1]).toBe('hit')
    expect((await call('high'))[1]).toBe('miss')
  })

  it('are not kept if they came after a reorg that they were asked for before', async () => {
    const slow = createSlowNode()
    const { lives, call, chain } = createScene({ node: slow.node })
    lives.set('new', { of: 'numbers', to: 95 })
    const first = call('new')
    chain.reorg(90)
    slow.answer('"of the old fork"')
    expect(await first).toEqual(['"of the old fork"', 'miss'])
    const second = call('new')
    slow.answer('"of the new fork"')
    await second
    expect(await call('new')).toEqual(['"of the new fork"', 'hit'])
  })

  it('become final when the finalized block passes them, and are served without a head then', async () => {
    const { lives, call, chain } = createScene()
    lives.set('b', { of: 'numbers', to: 95 })
    await call('b')
    chain.head = undefined
    expect((await call('b'))[1]).toBe('miss')
    chain.head = chain.at(100)
    expect((await call('b'))[1]).toBe('hit')
    chain.finalize(95)
    await call('b')
    chain.head = undefined
    expect((await call('b'))[1]).toBe('hit')
    chain.reorg = () => {}
    for (const listener of chain.listeners) listener(95)
    expect((await call('b'))[1]).toBe('hit')
  })

  it('are not final if their block was finalized only while they were asked for', async () => {
    const slow = createSlowNode()
    const { lives, call, chain } = createScene({ node: slow.node })
    lives.set('b', { of: 'numbers', to: 95 })
    const first = call('b')
    chain.reorg(91)
    chain.finalize(95)
    slow.answer('"of the old fork"')
    await first
    const second = call('b')
    slow.answer('"of the new fork"')
    expect(await second).toEqual(['"of the new fork"', 'miss'])
  })

  it('are dropped even where finalized blocks are replaced', async () => {
    const { lives, call, chain } = createScene()
    lives.set('final', { of: 'numbers', to: 80 })
    lives.set('fixed', { of: 'params' })
    await call('final')
    await call('fixed')
    chain.reorg(79)
    expect((await call('final'))[1]).toBe('miss')
    expect((await call('fixed'))[1]).toBe('hit')
  })

  it('are not kept if they were finalized, asked for, and replaced all the same', async () => {
    const slow = createSlowNode()
    const { lives, call, chain, store } = createScene({ node: slow.node })
    lives.set('final', { of: 'numbers', to: 80 })
    const first = call('final')
    chain.reorg(79)
    slow.answer('"old"')
    await first
    expect(store.entries).toBe(0)
  })

  it('are not served above a head that went back', async () => {
    const { lives, call, chain } = createScene()
    lives.set('b', { of: 'numbers', to: 100 })
    await call('b')
    chain.head = chain.at(99)
    expect((await call('b'))[1]).toBe('miss')
  })
})

describe('answers that name their block', () => {
  it.each([
    ['a final one', '{"height":90,"hash":"0x05a"}', 'hit'],
    ['one below the head', '{"height":99,"hash":"0x063"}', 'hit'],
    ['the served head', '{"height":100,"hash":"0x064"}', 'hit'],
    ['another block at the height of the head', '{"height":100,"hash":"0x164"}', 'miss'],
    ['a block above the head', '{"height":101,"hash":"0x065"}', 'miss'],
    ['none', '{}', 'miss'],
  ])('%s: %s', async (_, text, outcome) => {
    const { lives, call } = createScene({ node: answering(text) })
    lives.set('receipt', { of: 'answer' })
    await call('receipt')
    expect((await call('receipt'))[1]).toBe(outcome)
  })

  it('are dropped with it', async () => {
    const { lives, call, chain } = createScene({ node: answering('{"height":99}') })
    lives.set('receipt', { of: 'answer' })
    await call('receipt')
    chain.reorg(98)
    expect((await call('receipt'))[1]).toBe('miss')
  })
})

describe('answers about a block by its hash', () => {
  it('are served while the head is not known, and dropped by a reorg', async () => {
    const { lives, call, chain } = createScene({ node: answering('{"height":99}') })
    lives.set('block', { of: 'block', hash: '0x063' })
    await call('block')
    const { head } = chain
    chain.head = undefined
    expect((await call('block'))[1]).toBe('hit')
    chain.head = head
    chain.reorg(98)
    expect((await call('block'))[1]).toBe('miss')
  })

  it('whose height is not known go with any reorg', async () => {
    const { lives, call, chain } = createScene({ node: answering('{}') })
    lives.set('block', { of: 'block', hash: '0x063' })
    await call('block')
    expect((await call('block'))[1]).toBe('hit')
    chain.reorg(99)
    expect((await call('block'))[1]).toBe('miss')
  })
})

describe('answers about the head', () => {
  it('are shared until the next block', async () => {
    const { lives, call, chain } = createScene()
    lives.set('price', { of: 'head', at: chain.at(100) })
    await call('price')
    expect((await call('price'))[1]).toBe('hit')
    chain.advance()
    lives.set('price', { of: 'head', at: chain.at(101) })
    expect(await call('price')).toEqual(['"answer 2"', 'miss'])
    expect((await call('price'))[1]).toBe('hit')
  })

  it('are not served while the head is not known, or was replaced', async () => {
    const { lives, call, chain } = createScene()
    lives.set('price', { of: 'head', at: chain.at(100) })
    await call('price')
    chain.head = undefined
    expect((await call('price'))[1]).toBe('miss')
    chain.head = { height: 100, hash: '0xother' }
    expect((await call('price'))[1]).toBe('miss')
  })

  it('are not final when their block is', async () => {
    const { lives, call, chain } = createScene()
    lives.set('price', { of: 'head', at: chain.at(100) })
    await call('price')
    chain.finalize(100)
    chain.advance()
    expect((await call('price'))[1]).toBe('miss')
  })

  it('are not kept if the head moved while they were asked for', async () => {
    const slow = createSlowNode()
    const { lives, call, chain, store } = createScene({ node: slow.node })
    lives.set('price', { of: 'head', at: chain.at(100) })
    const first = call('price')
    chain.advance()
    slow.answer('1')
    await first
    expect(store.entries).toBe(0)
  })
})

describe('the cached handler', () => {
  const laws = handlerLaws({
    create: (peer) =>
      createRpcCache({
        classify: ({ method }) =>
          method === 'eth_sendRawTransaction' ? undefined : { key: method, life: { of: 'params' } },
        positionOf: () => undefined,
        admits: () => true,
        chain: new FakeChain(),
        store: createMemoryStore({ maxBytes: 67_108_864 }),
        partition: 'mainnet',
      }).middleware(peerHandler(peer)),
  })
  it.each(laws.map((law) => [law.name, law] as const))('%s', (_, law) => law.run())
})
