import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createCordons as createSharedCordons, createMemoryPort } from '@wayleave/stores/shared-state'
import { expect, it } from 'vitest'
import { createCordons } from '../../src/upstreams/cordons.ts'

/** Cordons of a gateway, and the reports to its networks. */
function begin() {
  const clock = new FakeClock()
  const shared = createSharedCordons(createMemoryPort(clock), clock)
  const reported: (readonly [upstream: string, why: string | undefined])[] = []
  const network = (...upstreams: string[]) => ({
    name: 'net',
    upstreams,
    cordon: (upstream: string, why: string | undefined) => reported.push([upstream, why]) > 0,
  })
  const options = { networks: [network('a', 'b')], shared }
  return { cordons: createCordons(options), shared, options, network, taken: () => reported.splice(0) }
}

it('a cordon of this gateway holds at once, and is reported once', async () => {
  const { cordons, taken } = begin()
  expect(cordons.upstreams).toEqual({ net: ['a', 'b'] })
  expect(await cordons.cordon('net', 'a', 'repair')).toBe(true)
  expect(await cordons.cordon('net', 'a', 'repair')).toBe(true)
  expect(await cordons.cordon('net', 'a', 'upgrade')).toBe(true)
  expect(await cordons.cordon('net', 'a', undefined)).toBe(true)
  expect(taken()).toEqual([
    ['a', 'repair'],
    ['a', 'upgrade'],
    ['a', undefined],
  ])
})

it('a cordon that another process made or lifted holds here, and only upstreams that are here are told', async () => {
  const { cordons, shared, taken } = begin()
  await shared.cordon('net', 'b', 'repair')
  await shared.cordon('net', 'c', 'repair')
  await shared.cordon('elsewhere', 'a', 'repair')
  expect(taken()).toEqual([['b', 'repair']])
  await shared.uncordon('net', 'b')
  expect(taken()).toEqual([['b', undefined]])
  cordons.close()
  await shared.cordon('net', 'a', 'repair')
  expect(taken()).toEqual([])
})

it('an upstream that comes with another configuration is left alone, too', async () => {
  const { cordons, options, network, taken } = begin()
  await cordons.cordon('net', 'c', 'repair')
  options.networks.splice(0, 1, network('a', 'c'))
  cordons.refresh()
  expect(taken()).toEqual([['c', 'repair']])
})
