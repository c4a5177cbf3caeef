import type { Config, TimeoutsConfig } from '@wayleave/gateway'
import { describe, expect, it } from 'vitest'
import { createTimeouts } from '../../src/config/timeouts.ts'

const requestTimeoutMs = 30_000

function scene(ofNetwork?: TimeoutsConfig, ofProject?: TimeoutsConfig) {
  const config: Config = {
    networks: {
      mainnet: { kind: 'evm', chainId: 1, upstreams: ['http://a'], ...(ofNetwork && { timeouts: ofNetwork }) },
    },
    projects: [{ name: 'renamed', id: 'p', keys: [], ...(ofProject && { timeouts: ofProject }) }],
  }
  const timeouts = createTimeouts(config, { requestTimeoutMs })
  const at = timeouts.at('mainnet', 'p')
  return { timeouts, longestMs: at.longestMs, msOf: (method: string) => at.of(method) ?? at.longestMs }
}

describe('the wait of a method', () => {
  it('is that of all requests where nothing is named', () => {
    const { longestMs, msOf, timeouts } = scene()
    expect([longestMs, msOf('eth_call'), timeouts.longestMs]).toEqual([30_000, 30_000, 30_000])
  })

  it.each([
    ['debug_traceCall', 120_000],
    ['DEBUG_traceBlock', 500],
    ['eth_call', 30_000],
  ])('%s is the one named for it, be it longer or shorter: %d', (method, ms) => {
    const { longestMs, msOf } = scene({ byMethod: { 'debug_*': '2m', debug_traceBlock: 500 } })
    expect([longestMs, msOf(method)]).toEqual([120_000, ms])
  })

  it('is the default of its network where it is not named', () => {
    const { longestMs, msOf } = scene({ default: '5s', byMethod: { eth_getLogs: '10s' } })
    expect([longestMs, msOf('eth_getLogs'), msOf('eth_call')]).toEqual([10_000, 10_000, 5_000])
  })

  it('is that of the project before that of the network, and its default, too', () => {
    const network = { default: '5s', byMethod: { 'debug_*': '120s', eth_call: '1s' } }
    const named = scene(network, { byMethod: { eth_call: '2s' } })
    expect(['eth_call', 'debug_a', 'eth_b'].map(named.msOf)).toEqual([2_000, 120_000, 5_000])
    const whole = scene(network, { default: '3s', byMethod: { eth_call: '2s' } })
    expect(['eth_call', 'debug_a', 'eth_b'].map(whole.msOf)).toEqual([2_000, 3_000, 3_000])
    expect([named.longestMs, whole.longestMs]).toEqual([120_000, 3_000])
  })

  it('is the same for a stranger and elsewhere as without the settings of others', () => {
    const { timeouts } = scene({ default: '5s' }, { default: '60s' })
    expect(timeouts.at('other', 'q').longestMs).toBe(30_000)
    expect(timeouts.at('mainnet', 'q').longestMs).toBe(5_000)
    expect(timeouts.at('other', 'p').longestMs).toBe(60_000)
    expect(timeouts.longestMs).toBe(60_000)
  })

  it('needs no time of its own where it is the longest', () => {
    const { timeouts } = scene({ default: '5s', byMethod: { eth_call: '5s', net_version: '1s' } })
    const { of } = timeouts.at('mainnet', 'p')
    expect([of('eth_call'), of('eth_chainId'), of('net_version')]).toEqual([undefined, undefined, 1_000])
  })
})
