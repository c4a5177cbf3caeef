import { rawJsonFromText, type RpcContext, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { FakeChain } from './fake-chain.ts'
import { createScene, createSlowNode } from './scene.ts'

function createStaleScene(staleMs: number, node?: RpcHandler) {
  const chain = new FakeChain()
  const scene = createScene({
    chain,
    staleMs,
    ...(node === undefined ? {} : { node }),
    classify: ({ method }) => ({
      key: `${method} ${chain.head!.hash}`,
      life: { of: 'head', at: chain.head! },
      latest: method,
    }),
  })
  return { ...scene, chain }
}

const settled = (): Promise<unknown> => new Promise((resolve) => void setImmediate(resolve))

describe('stale answers', () => {
  it('are never served unless that is asked for', async () => {
    const { call, chain } = createStaleScene(0)
    await call('price')
    chain.advance()
    expect(await call('price')).toEqual(['"answer 2"', 'miss'])
  })

  it('are served for so long while the next one is fetched once', async () => {
    const { call, chain, clock, asked } = createStaleScene(2_000)
    await call('price')
    chain.advance()
    clock.advance(2_000)
    expect(await Promise.all([call('price'), call('price')])).toEqual([
      ['"answer 1"', 'stale'],
      ['"answer 1"', 'stale'],
    ])
    await settled()
    expect(asked).toHaveLength(2)
    expect(await call('price')).toEqual(['"answer 2"', 'hit'])
    chain.advance()
    clock.advance(2_001)
    expect(await call('price')).toEqual(['"answer 3"', 'miss'])
  })

  it('are dropped with their block', async () => {
    const { call, chain } = createStaleScene(2_000)
    await call('price')
    chain.reorg(99)
    expect(await call('price')).toEqual(['"answer 2"', 'miss'])
  })

  it('are no older than those before', async () => {
    const slow = createSlowNode()
    const chain = new FakeChain()
    const { call } = createScene({
      chain,
      staleMs: 2_000,
      node: slow.node,
      classify: ({ method }) => ({
        key: `${method} ${chain.head!.hash}`,
        life: { of: 'block', hash: chain.head!.hash! },
        latest: method,
      }),
    })
    const waiting = [call('price')]
    chain.advance()
    waiting.push(call('price'))
    const [first, second] = slow.pending.splice(0)
    second!('"new"')
    await settled()
    first!('"old"')
    await Promise.all(waiting)
    chain.advance()
    expect(await call('price')).toEqual(['"new"', 'stale'])
  })

  it('are fetched anew after a failure in the background', async () => {
    let fails = false
    let asked = 0
    const { call, chain } = createStaleScene(2_000, async () => {
      asked++
      if (fails) throw new RpcError('unavailable', 'down')
      return { result: rawJsonFromText('1') }
    })
    await call('price')
    fails = true
    chain.advance()
    for (let i = 0; i < 2; i++) {
      expect((await call('price'))[1]).toBe('stale')
      await settled()
    }
    expect(asked).toBe(3)
  })

  it('end their fetching when the cache closes', async () => {
    const slow = createSlowNode()
    const contexts: RpcContext[] = []
    const { call, chain, cache, clock } = createStaleScene(2_000, (request, context) => {
      contexts.push(context)
      return slow.node(request, context)
    })
    const first = call('price')
    slow.answer('1')
    await first
    chain.advance()
    expect((await call('price'))[1]).toBe('stale')
    cache.close()
    expect(contexts[1]!.cancelled?.code).toBe('aborted')
    expect(clock.timers).toBe(0)
  })
})
