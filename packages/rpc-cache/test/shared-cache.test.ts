import { createContext, RpcError } from '@wayleave/jsonrpc-core'
import type { KeptAnswer, SharedCache } from '@wayleave/rpc-cache'
import { describe, expect, it } from 'vitest'
import { createScene } from './scene.ts'

/** A shared cache that a test fills. */
function createShared() {
  const answers = new Map<string, KeptAnswer>()
  const times: number[] = []
  const shared: SharedCache = {
    get: (key) => (answers.has(key) ? Promise.resolve(answers.get(key)) : undefined),
    set(key, kept, forMs) {
      answers.set(key, kept)
      times.push(forMs)
    },
  }
  return { shared, answers, times }
}

const found = (place: Partial<KeptAnswer>): KeptAnswer => ({
  body: '"shared"',
  byteLength: 8,
  isFinal: false,
  ...place,
})

describe('a shared cache', () => {
  it('gets what one process learnt, and gives it to another, which asks for it once', async () => {
    const { shared, answers, times } = createShared()
    const [a, b] = [createScene({ shared }), createScene({ shared })]
    for (const { lives } of [a, b]) lives.set('fixed', { of: 'params' })
    await a.call('fixed')
    expect([...answers.keys()]).toEqual(['mainnet fixed []'])
    expect(times).toEqual([Number.POSITIVE_INFINITY])
    expect(await b.call('fixed')).toEqual(['"answer 1"', 'hit'])
    answers.clear()
    expect(await b.call('fixed')).toEqual(['"answer 1"', 'hit'])
    expect(b.asked).toHaveLength(0)
  })

  it.each([
    ['is final', { isFinal: true, height: 95 }, 'hit'],
    ['is of a block of the served chain', { height: 95, hash: '0x05f' }, 'hit'],
    ['is of a block that is not', { height: 95, hash: '0x15f' }, 'miss'],
    ['names no hash', { height: 95 }, 'miss'],
    ['is above the served head', { height: 101, hash: '0x065' }, 'miss'],
    ['is longer than one may be', { isFinal: true, byteLength: 10_000_000 }, 'miss'],
    ['is a text of other characters than ASCII', { isFinal: true, body: '"é"', byteLength: 3 }, 'miss'],
    ['cannot be read', { isFinal: true, body: new Uint8Array(3), encoding: 'zstd' }, 'miss'],
  ] as const)('gives an answer by number that %s: %o', async (_, place, outcome) => {
    const { shared, answers } = createShared()
    const { lives, call } = createScene({ shared })
    lives.set('b', { of: 'numbers', to: 95 })
    answers.set('mainnet b []', found(place))
    expect((await call('b'))[1]).toBe(outcome)
  })

  it('gives an answer about the head only for that head', async () => {
    const { shared, answers } = createShared()
    const { lives, call, chain } = createScene({ shared })
    lives.set('price', { of: 'head', at: chain.at(100) })
    answers.set('mainnet price []', found({ height: 99, hash: '0x063' }))
    expect((await call('price'))[1]).toBe('miss')
    const other = createScene({ shared })
    other.lives.set('price', { of: 'head', at: chain.at(100) })
    expect((await other.call('price'))[1]).toBe('hit')
  })

  it('gets an answer that is not final for a while, and only where it names the hash of its block', async () => {
    const { shared, answers, times } = createShared()
    const { lives, call, chain } = createScene({ shared })
    lives.set('range', { of: 'numbers', to: 95 })
    lives.set('price', { of: 'head', at: chain.at(100) })
    await call('range')
    await call('price')
    expect([...answers.keys()]).toEqual(['mainnet price []'])
    expect(times).toEqual([24_000])
  })

  it('serves a call that is cancelled meanwhile nothing', async () => {
    let answer: (kept: undefined) => void = () => {}
    const shared: SharedCache = { get: () => new Promise((resolve) => (answer = resolve)), set: () => {} }
    const { lives, call, asked } = createScene({ shared })
    lives.set('fixed', { of: 'params' })
    const context = createContext()
    const called = call('fixed', '[]', context)
    context.cancel(new RpcError('aborted', 'the test aborts'))
    answer(undefined)
    await expect(called).rejects.toThrow('the test aborts')
    expect(asked).toHaveLength(0)
  })
})
