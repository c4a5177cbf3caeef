import { describe, expect, it } from 'vitest'
import { createMetrics } from '../src/metrics.ts'

const samples = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

describe('metrics', () => {
  it('are Prometheus text of what was counted, by network', async () => {
    const metrics = createMetrics()
    const mainnet = metrics.network('mainnet')
    mainnet.answered(200)
    mainnet.answered(200)
    mainnet.answered(503)
    mainnet.connections(1)
    mainnet.connections(1)
    mainnet.connections(-1)
    mainnet.upstreamFailed('upstream-1', 'connect')
    metrics.network('base').answered(200)
    mainnet.rejected('timeout')
    mainnet.rejected('timeout')
    metrics.refused(401)
    metrics.refused(415)
    metrics.refused(401)
    metrics.dropped()
    expect(metrics.contentType).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(samples(await metrics.print())).toEqual([
      'wayleave_answers_total{network="mainnet",status="200"} 2',
      'wayleave_answers_total{network="mainnet",status="503"} 1',
      'wayleave_answers_total{network="base",status="200"} 1',
      'wayleave_upstream_failures_total{network="mainnet",endpoint="upstream-1",code="connect"} 1',
      'wayleave_websocket_connections{network="mainnet"} 1',
      'wayleave_websocket_connections{network="base"} 0',
      'wayleave_rejected_calls_total{network="mainnet",code="timeout"} 2',
      'wayleave_refusals_total{status="401"} 2',
      'wayleave_refusals_total{status="415"} 1',
      'wayleave_dropped_connections_total 1',
    ])
  })

  it('do not grow by being read, also by two readers at once', async () => {
    const metrics = createMetrics()
    metrics.network('mainnet').answered(200)
    const [first, second] = await Promise.all([metrics.print(), metrics.print()])
    expect(first).toBe(second)
    expect(await metrics.print()).toBe(first)
  })

  it('of one name are shared', () => {
    const metrics = createMetrics()
    expect(metrics.network('mainnet')).toBe(metrics.network('mainnet'))
  })

  it('of two gateways in a process are not', async () => {
    createMetrics().network('mainnet').answered(200)
    expect(samples(await createMetrics().print())).toEqual(['wayleave_dropped_connections_total 0'])
  })
})
