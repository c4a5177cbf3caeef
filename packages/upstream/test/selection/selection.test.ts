import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import {
  type Candidate,
  createSelection,
  createSpend,
  type HostReason,
  type Selection,
  type SelectionOptions,
} from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { seeded } from '../simulation.ts'
import { candidate, failAll, namesOf, read } from './candidates.ts'

const select = (candidates: readonly Candidate[], options: Partial<SelectionOptions> = {}): Selection =>
  createSelection({ candidates, random: seeded(1), order: (eligible) => eligible, ...options })

describe('a selection', () => {
  it('names the reason of each exclusion', () => {
    const spend = createSpend({ clock: new FakeClock(0), perDay: 1 })
    spend.begin('eth_call', 0)
    const rate = createSpend({ clock: new FakeClock(0), perSecond: 1 })
    rate.begin('eth_call', 0)
    const candidates = [
      candidate('a', { pushes: true }),
      candidate('b', { pushes: true, groups: ['archive'] }),
      candidate('c', { pushes: true, groups: ['archive'], methods: { deny: ['eth_*'] } }),
      candidate('d', { pushes: true, groups: ['archive'], spend }),
      candidate('e', { pushes: true, groups: ['archive'], spend: rate }),
      candidate('f', { pushes: true, groups: ['archive'] }),
      candidate('g', { pushes: true, groups: ['archive'] }),
      candidate('h', { groups: ['archive'] }),
      candidate('i', { pushes: true, groups: ['archive'] }),
      candidate('j', { pushes: true, groups: ['archive'] }),
    ]
    const wrong: Record<string, HostReason> = { f: 'wrong_chain' }
    const selection = select(candidates, {
      exclusionOf: ({ endpoint }) => wrong[endpoint.name],
      excludes: ({ endpoint }) => (endpoint.name === 'i' ? 'needs_block' : undefined),
    })
    selection.cordon('g', 'an upgrade')
    const call = read(1, 'eth_subscribe', { groups: ['archive', 'full'], opensSubscription: true })
    const { health } = candidates[9]!
    health.failed(health.begin('read', 0), 'method_missing', 0, { method: 'eth_subscribe' })
    expect(candidates.map((one) => [one.endpoint.name, selection.reason(one, call)])).toEqual([
      ['a', 'group'],
      ['b', undefined],
      ['c', 'method_denied'],
      ['d', 'budget_spent'],
      ['e', 'budget_rate'],
      ['f', 'wrong_chain'],
      ['g', 'cordoned'],
      ['h', 'cannot_push'],
      ['i', 'needs_block'],
      ['j', 'method_missing'],
    ])
    // One without the method says so best.
    expect(namesOf(selection.order(call))).toBe('bj')
  })

  it('asks those that no longer have the block as the last of all, but not before the time that one told', () => {
    const candidates = ['a', 'b', 'c', 'd', 'e'].map((name) => candidate(name))
    const [, down, silent, , reported] = candidates
    const lacking = new Set(['a', 'c', 'e'])
    const selection = select(candidates, {
      excludes: ({ endpoint }) => (lacking.has(endpoint.name) ? 'pruned' : undefined),
    })
    failAll(down!, 4, 0)
    failAll(silent!, 4, 0)
    reported!.health.failed(reported!.health.begin('read', 0), 'rate_limited', 0, { retryAfterMs: 500 })
    expect(namesOf(selection.order(read(1)))).toBe('dbac')
    expect(selection.reason(candidates[0]!, read(1))).toBe('pruned')
    expect(selection.mayAsk(candidates[0]!, read(1))).toBe(true)
    expect(selection.reason(reported!, read(1))).toBe('rate_limited')
  })

  it('asks those that health speaks against last, the least bad first, and others never', () => {
    const candidates = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => candidate(name))
    const [liar, dead, limited, reported, , wrong] = candidates
    const fail = ({ health }: Candidate, kind: 'false_answer' | 'rate_limited', details = {}): void =>
      health.failed(health.begin('read', 0), kind, 0, details)
    fail(liar!, 'false_answer')
    failAll(dead!, 4, 0)
    fail(limited!, 'rate_limited')
    fail(reported!, 'rate_limited', { retryAfterMs: 500 })
    const selection = select(candidates, { exclusionOf: (one) => (one === wrong ? 'wrong_chain' : undefined) })
    expect(namesOf(selection.order(read(1)))).toBe('ebca')
    expect(namesOf(selection.order(read(1_500)))).toBe('cdeba')
  })

  it('forbids a call to an upstream that is unhealthy, too', () => {
    const [dead] = [candidate('a', { methods: { deny: ['eth_call'] } })]
    failAll(dead!, 4, 0)
    const selection = select([dead!, candidate('b')])
    expect(selection.reason(dead!, read(1))).toBe('method_denied')
    expect(namesOf(selection.order(read(1)))).toBe('b')
  })

  it('asks one that may refuse a range last, unless its health says not to', () => {
    const candidates = ['a', 'b', 'c'].map((name) => candidate(name))
    const [doubtful, , reported] = candidates
    reported!.health.failed(reported!.health.begin('read', 0), 'rate_limited', 0, { retryAfterMs: 500 })
    const selection = select(candidates, {
      excludes: ({ endpoint }) => (endpoint.name === 'b' ? undefined : 'range_doubtful'),
    })
    expect(selection.reason(doubtful!, read(1))).toBe('range_doubtful')
    expect(selection.reason(reported!, read(1))).toBe('rate_limited')
    expect(namesOf(selection.order(read(1)))).toBe('ba')
  })

  it('lets two calls at once try an upstream that is half open', () => {
    const one = candidate('a')
    failAll(one, 4, 0)
    one.health.probed(true, 2_000)
    const selection = select([one, candidate('b')])
    expect(namesOf(selection.order(read(2_000)))).toBe('ab')
    for (let i = 0; i < 2; i++) one.health.begin('read', 2_000)
    expect(namesOf(selection.order(read(2_000)))).toBe('ba')
    expect(selection.exclusion(one, 2_000)).toBe('half_open')
  })

  it('cordons and uncordons an upstream by name, with all its endpoints', () => {
    const { health } = candidate('node')
    const candidates = [candidate('node-http', { health }), candidate('node-ws', { health }), candidate('b')]
    const selection = select(candidates)
    expect(selection.cordon('node-http', 'an upgrade')).toBe(true)
    expect(namesOf(selection.order(read(0)))).toBe('node-wsb')
    expect(selection.cordon('nobody', 'a mistake')).toBe(false)
    expect(selection.cordon('node', 'an upgrade')).toBe(true)
    expect(namesOf(selection.order(read(0)))).toBe('b')
    expect(selection.cordon('node', undefined)).toBe(true)
    expect(namesOf(selection.order(read(0)))).toBe('node-httpnode-wsb')
  })

  it('tells of each change of a health once', () => {
    const [a, b] = [candidate('a'), candidate('b')]
    const reported: unknown[] = []
    const onExclusion: SelectionOptions['onExclusion'] = ({ endpoint }, health, before) =>
      reported.push([endpoint.name, health, before])
    const selection = select([a, b], { onExclusion })
    selection.order(read(0))
    failAll(a, 4, 1)
    for (let now = 2; now < 10; now++) selection.order(read(now))
    selection.cordon('a', 'an upgrade')
    selection.order(read(10))
    selection.cordon('a', undefined)
    a.health.probed(true, 11)
    selection.order(read(11))
    for (let i = 0; i < 5; i++) a.health.succeeded(a.health.begin('read', 12), 13)
    selection.exclusion(a, 14)
    expect(reported).toEqual([
      ['a', 'cooling_down', undefined],
      ['a', 'cordoned', 'cooling_down'],
      ['a', 'half_open', 'cordoned'],
      ['a', undefined, 'half_open'],
    ])
  })

  it('takes an operator’s own policy for those that can take the call', () => {
    const candidates = ['a', 'b', 'c'].map((name) => candidate(name))
    failAll(candidates[1]!, 4, 0)
    const selection = select(candidates, { order: (eligible) => eligible.toReversed() })
    expect(namesOf(selection.order(read(1)))).toBe('cab')
  })

  it('asks preferred ones of a tier first by default', () => {
    const candidates = [candidate('a', { tier: 'fallback' }), candidate('b'), candidate('c')]
    const prefers = ({ endpoint }: Candidate): boolean => endpoint.name !== 'b'
    const selection = createSelection({ candidates, random: seeded(1), prefers })
    for (let i = 0; i < 20; i++) expect(namesOf(selection.order(read(i)))).toBe('cba')
  })
})
