import { createContext } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import {
  createFairShare,
  createPool,
  type EndpointHealth,
  healthiestFirst,
  type SelectionPolicy,
} from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { answering, call } from './support.ts'

const clock = new FakeClock(0)
const read = call('eth_chainId')

function pooled(selection: SelectionPolicy, names = 'abc') {
  const endpoints = [...names].map((name) => ({ name, carriesSubscriptions: false, handler: answering(name) }))
  const pool = createPool({ endpoints, clock, selection, isRepeatable: () => true, opensSubscription: () => false })
  return async () => (await pool(read, createContext({ clock, timeoutMs: 1_000 }))).meta?.endpoint
}

describe('a selection policy', () => {
  it('is one function: here each endpoint in turn', async () => {
    let turn = 0
    const roundRobin: SelectionPolicy = {
      order(candidates) {
        const first = turn++ % candidates.length
        return [...candidates.slice(first), ...candidates.slice(0, first)]
      },
    }
    const ask = pooled(roundRobin)
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual(['a', 'b', 'c', 'a'])
  })

  it('may leave endpoints out, and with all of them nothing can take the call', async () => {
    expect(await pooled({ order: (candidates) => candidates.slice(2) })()).toBe('c')
    await expect(pooled({ order: () => [] })()).rejects.toThrow('no upstream can take this call')
  })
})

describe('healthiestFirst', () => {
  const health = (name: string, failedUntil = 0, distrustedUntil = 0): EndpointHealth => ({
    endpoint: { name, carriesSubscriptions: false, handler: answering(name) },
    slots: createFairShare(1),
    failedUntil,
    distrustedUntil,
    falseAnswers: 0,
    verifiedAnswers: 0,
  })
  const namesOf = (ordered: readonly Readonly<EndpointHealth>[]): string =>
    ordered.map(({ endpoint }) => endpoint.name).join('')

  it('asks failed endpoints last, false ones after them, and preferred ones first among equals', () => {
    const candidates = [health('a', 0, 1), health('b', 1), health('c'), health('d', 1), health('e')]
    expect(namesOf(healthiestFirst().order(candidates, read, clock))).toBe('cebda')
    const prefers = ({ name }: { readonly name: string }): boolean => name === 'd' || name === 'e'
    expect(namesOf(healthiestFirst(prefers).order(candidates, read, clock))).toBe('ecdba')
  })

  it('returns the candidates themselves where nothing speaks against their order', () => {
    const candidates = [health('a'), health('b')]
    expect(healthiestFirst().order(candidates, read, clock)).toBe(candidates)
  })
})
