import { expect, it } from 'vitest'
import { adaptedFrom, derivedFrom, verifiedMark } from '@wayleave/network'
import { markHeaders, marksOf, pinnedAt, upstreamHeaders } from '../../src/rpc/marks.ts'

const shown = { upstreams: ['own', 'paid'], showsUpstream: (project: string) => project === 'ours' }

it('an upstream is told by its name to projects that may see it, by its place to others', () => {
  const meta = { endpoint: 'paid', attempts: 2 }
  expect(upstreamHeaders(meta, shown, 'ours')).toEqual(['X-Wayleave-Upstream', 'paid', 'X-Wayleave-Attempts', '2'])
  expect(upstreamHeaders(meta, shown, 'theirs')).toEqual(['X-Wayleave-Upstream', '2', 'X-Wayleave-Attempts', '2'])
})

it.each([
  ['nobody answered', undefined],
  ['the gateway answered itself', {}],
  ['the attempts are not known', { endpoint: 'own' }],
  ['the node is none of the upstreams', { endpoint: 'rollup', attempts: 1 }],
])('no upstream is told where %s', (_what, meta) => {
  expect(upstreamHeaders(meta, shown, 'ours')).toEqual([])
})

it('an answer made of another one says so', () => {
  const meta = derivedFrom.on({}, 'optimism_syncStatus')
  expect([marksOf(meta), markHeaders(meta)]).toEqual([
    { derivedFrom: 'optimism_syncStatus' },
    ['X-Wayleave-Derived-From', 'optimism_syncStatus'],
  ])
  expect([marksOf({}), markHeaders(undefined)]).toEqual([undefined, []])
})

it('an answer that was translated says from which version', () => {
  const meta = adaptedFrom.on({}, '0.10; unknown="steps"')
  expect([marksOf(meta), markHeaders(meta)]).toEqual([
    { adaptedFrom: '0.10; unknown="steps"' },
    ['X-Wayleave-Adapted-From', '0.10; unknown="steps"'],
  ])
})

it('an answer that was pinned tells its block beside the result', () => {
  const meta = pinnedAt.on({}, { number: 500, hash: '0xab' })
  expect(marksOf(meta)).toEqual({ block: '0x1f4 0xab' })
  expect(marksOf(derivedFrom.on(meta, 'x'))).toEqual({ derivedFrom: 'x', block: '0x1f4 0xab' })
})

it('an answer of a network that verifies says what was found out about it', () => {
  const meta = verifiedMark.on({}, 'unchecked')
  expect([marksOf(meta), markHeaders(meta)]).toEqual([{ verified: 'unchecked' }, ['X-Wayleave-Verified', 'unchecked']])
})
