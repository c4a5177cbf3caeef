import { rawJsonFromText } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createSelection } from '@wayleave/upstream'
import { expect, it } from 'vitest'
import type { UpstreamConfig } from '../../src/config/index.ts'
import { createCandidates } from '../../src/upstreams/candidates.ts'
import { isExaminable } from '../../src/upstreams/is-examinable.ts'
import { call } from '../support.ts'

function scene(settings: Partial<UpstreamConfig>) {
  const clock = new FakeClock()
  const config = { upstreams: [{ url: 'http://a', ...settings }] }
  const endpoint = {
    name: 'upstream-1',
    handler: async () => ({ result: rawJsonFromText('1') }),
    carriesSubscriptions: false,
  }
  const candidates = createCandidates([endpoint], config, { clock, slots: 160, onProbeDue() {} })
  const selection = createSelection({ candidates, random: () => 0 })
  const [candidate] = candidates
  return {
    candidate: candidate!,
    selection,
    may: (method?: string) =>
      isExaminable(candidate!, config, selection, clock.now(), method === undefined ? undefined : call(method)),
  }
}

it.each<[settings: Partial<UpstreamConfig>, may: boolean]>([
  [{}, true],
  [{ probe: false }, false],
  [{ price: 1 }, false],
  [{ budget: { perDay: 10 } }, false],
  [{ price: 1, probe: true }, true],
])('an upstream with %o is looked at: %s', (settings, may) => {
  expect(scene(settings).may()).toBe(may)
})

it('an upstream that is left alone is not looked at', () => {
  const { candidate, selection, may } = scene({})
  selection.cordon('upstream-1', 'an upgrade')
  expect(may()).toBe(false)
  selection.cordon('upstream-1', undefined)
  candidate.health.failed(candidate.health.begin('read', 0), 'unauthorized', 0)
  expect(may()).toBe(false)
})

it('a budget pays each question', () => {
  const { candidate, may } = scene({ probe: true, budget: { perDay: 10, prices: { eth_getBlockReceipts: 9 } } })
  expect(may('eth_getBlockReceipts')).toBe(true)
  candidate.spend!.begin('eth_capabilities', 0)
  candidate.spend!.begin('eth_getBalance', 0)
  expect([may('eth_getBlockReceipts'), may('eth_getBalance')]).toEqual([false, true])
})
