import { rawJsonFromText } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createSelection, type SelectionCall, type UpstreamHealth } from '@wayleave/upstream'
import { expect, it } from 'vitest'
import type { UpstreamConfig } from '../../src/config/index.ts'
import { createCandidates } from '../../src/upstreams/candidates.ts'
import { call } from '../support.ts'

function scene(upstreams: readonly (string | UpstreamConfig)[]) {
  const clock = new FakeClock()
  const due: (readonly [name: string, inMs: number])[] = []
  const candidates = createCandidates(
    upstreams.map((upstream, i) => ({
      name: (typeof upstream === 'string' ? undefined : upstream.name) ?? `upstream-${i + 1}`,
      handler: async () => ({ result: rawJsonFromText('1') }),
      carriesSubscriptions: false,
    })),
    { upstreams },
    { clock, slots: 160, onProbeDue: ({ name }: UpstreamHealth, inMs) => void due.push([name, inMs]) },
  )
  const selection = createSelection({ candidates, random: () => 0 })
  const order = (method: string, further: Partial<SelectionCall> = {}) =>
    selection
      .order({ request: call(method), class: 'read', now: clock.now(), ...further })
      .map(({ endpoint }) => endpoint.name)
  return { clock, candidates, order, due }
}

it('an upstream without settings is a free primary with one part of the calls, for all methods and in no group', () => {
  const { candidates } = scene(['http://a', { url: 'http://b', name: 'b' }])
  for (const candidate of candidates) {
    expect(candidate).toMatchObject({ tier: 'primary', weight: 1, price: 0, allows: undefined, spend: undefined })
    expect(candidate.groups.size).toBe(0)
  }
  expect(candidates.map(({ endpoint, health }) => [endpoint.name, health.name])).toEqual([
    ['upstream-1', 'upstream-1'],
    ['b', 'b'],
  ])
})

it('every setting of an upstream reaches its choice', () => {
  const { candidates, order, clock } = scene([
    'http://a',
    { url: 'http://b', name: 'last', tier: 'fallback', weight: 2, price: 5 },
    {
      url: 'http://c',
      name: 'traces',
      groups: ['archive'],
      methods: { allow: ['debug_*'], deny: ['debug_traceCall'] },
    },
    { url: 'http://d', name: 'paid', groups: ['archive'], budget: { perSecond: 30, prices: { eth_call: 20, '*': 1 } } },
  ])
  expect(candidates[1]).toMatchObject({ tier: 'fallback', weight: 2, price: 5 })
  expect(candidates[3]!.price).toBe(3)
  expect(order('eth_call').at(-1)).toBe('last')
  expect(order('eth_call')).not.toContain('traces')
  expect(order('debug_traceBlock')).toContain('traces')
  expect(order('debug_traceCall')).not.toContain('traces')
  expect(order('eth_call', { groups: ['archive'] })).toEqual(['paid'])
  candidates[3]!.spend!.begin('eth_call', clock.now())
  expect(order('eth_call', { groups: ['archive'] })).toEqual([])
  expect(order('eth_chainId', { groups: ['archive'] })).toEqual(['paid'])
})

it('probes are asked for by the name of the upstream', () => {
  const { candidates, due, clock } = scene([{ url: 'http://a', name: 'own' }])
  const { health } = candidates[0]!
  for (let i = 0; i < 4; i++) health.failed(health.begin('read', clock.now()), 'unreachable', clock.now())
  expect(due).toEqual([['own', 2_000]])
})
