import type { RpcRequest } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createCandidate, createSelection, createUpstreamHealth } from '@wayleave/upstream'
import { expect, it } from 'vitest'
import { askElsewhere, untriedFirst } from '../../src/hints/excluded-upstreams.ts'
import { call } from '../support.ts'

const clock = new FakeClock()

/** The names of three upstreams in the order in which they are asked. */
function orderOf(request: RpcRequest, prefers?: Parameters<typeof untriedFirst>[0]): readonly string[] {
  const candidates = ['a', 'b', 'c'].map((name) => {
    const endpoint = { name, handler: async () => ({ error: { code: 1, message: '' } }), carriesSubscriptions: false }
    return createCandidate({ endpoint, health: createUpstreamHealth({ name }), slots: 10 })
  })
  const selection = createSelection({ candidates, random: () => 0, prefers: untriedFirst(prefers) })
  const asked = { request, class: 'read', now: clock.now(), groups: undefined, opensSubscription: false } as const
  return selection.order(asked).map(({ endpoint }) => endpoint.name)
}

it('upstreams whose answers were of no use are asked last, and none is left out', () => {
  const request = call('eth_getLogs')
  expect(orderOf(askElsewhere(request, [{ endpoint: 'a' }, { endpoint: 'b' }, {}]))[0]).toBe('c')
  expect(orderOf(askElsewhere(request, [{ endpoint: 'c' }]))[2]).toBe('c')
  expect(
    orderOf(
      askElsewhere(
        request,
        ['a', 'b', 'c'].map((endpoint) => ({ endpoint })),
      ),
    ),
  ).toHaveLength(3)
  expect(askElsewhere(request, [{}])).toBe(request)
})

it('of the others, those come first that have what a call reads', () => {
  const hasIt = ({ name }: { readonly name: string }): boolean => name !== 'a'
  expect(orderOf(call('eth_getLogs'), hasIt)[2]).toBe('a')
  expect(orderOf(askElsewhere(call('eth_getLogs'), [{ endpoint: 'b' }]), hasIt)[0]).toBe('c')
})
