import type { ChainView, Endpoint } from '@wayleave/upstream'
import { expect, it } from 'vitest'
import type { Chain } from '../../src/heads/chain.ts'
import { followedChain } from '../../src/heads/followed-chain.ts'

it('tells the progress of the upstreams of some groups by their own heads alone', () => {
  const states: Record<string, { health: string; head?: { number: number } }> = {
    a: { health: 'syncing', head: { number: 900 } },
    b: { health: 'syncing', head: { number: 700 } },
  }
  const view = { head: { number: 500 }, of: ({ name }: Endpoint) => states[name]! } as unknown as ChainView
  const candidates = ['a', 'b'].map((name) => ({ endpoint: { name } as Endpoint, groups: new Set([`of ${name}`]) }))
  const headToPin = () => Promise.reject(new Error('not asked'))
  const { progress } = followedChain({ view } as unknown as Chain, headToPin, candidates)!
  const highest = () => [undefined, ['of a'], ['of b', 'no']].map((groups) => progress(groups)?.highestBlock)
  expect(highest()).toEqual([900, 900, 700])
  states['a'] = { health: 'good', head: { number: 900 } }
  expect(highest()).toEqual([undefined, undefined, 700])
})
