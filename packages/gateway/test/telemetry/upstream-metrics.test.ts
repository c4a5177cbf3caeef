import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { expect, it, onTestFinished } from 'vitest'
import { createSeriesMirror } from '@wayleave/telemetry'
import type { UpstreamGauges } from '@wayleave/network'
import { testChain } from '../chain-node.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { ask, configOf, networkOf, startNodes, startWith } from '../reload/support.ts'
import { startNode } from '../support.ts'

async function scrape(admin: string): Promise<string> {
  return (await fetch(`${admin}/metrics`)).text()
}

it('an upstream of another chain, and one that is gone, stand there with their reasons', async () => {
  const nodes = await startNodes(testChain(500), 2)
  const elsewhere = await startNode(async ({ method }) => ({
    result: rawJsonFromValue(method === 'eth_chainId' ? '0x5' : '0x1'),
  }))
  onTestFinished(() => elsewhere.close())
  const [a, b] = nodes.map(({ url }) => url)
  const network = networkOf(nodes)
  const upstreams = [
    { name: 'a', url: a!, probe: false },
    { name: 'b', url: b!, probe: false, budget: { perDay: 1_000, prices: { '*': 2 } } },
    { name: 'elsewhere', url: elsewhere.url, probe: false },
  ]
  const gateway = await startWith(configOf({ mainnet: { ...network, upstreams } as typeof network }))
  const reported = async (line: string): Promise<void> => {
    await expect
      .poll(
        async () => {
          await ask(gateway, 'eth_gasPrice')
          return scrape(gateway.admin)
        },
        { timeout: 20_000 },
      )
      .toContain(`\n${line}\n`)
  }
  await reported('wayleave_upstream_exclusion{network="mainnet",endpoint="elsewhere",reason="wrong_chain"} 1')
  await reported('wayleave_upstream_up{network="mainnet",endpoint="elsewhere"} 0')
  await reported('wayleave_upstream_up{network="mainnet",endpoint="a"} 1')
  const text = await scrape(gateway.admin)
  expect(text).toContain('\nwayleave_upstream_units_budget{network="mainnet",endpoint="b",period="day"} 1000\n')
  // Both counts are of the same calls.
  const spent = Number(/^wayleave_upstream_units_spent\{.*endpoint="b",period="day"\} (\d+)$/m.exec(text)![1])
  const byPurpose = [...text.matchAll(/^wayleave_upstream_units_total\{.*endpoint="b".*\} (\d+)$/gm)]
  expect(spent).toBeGreaterThan(0)
  expect(byPurpose.reduce((sum, [, units]) => sum + Number(units), 0)).toBe(spent)
  await nodes[0]!.close()
  await reported('wayleave_upstream_up{network="mainnet",endpoint="a"} 0')
})

it('the budget of an upstream that is gone, or that has none any more, alerts nobody', () => {
  const metrics = createMetrics()
  const watch = metrics.network('mainnet').watchUpstreams
  const gauges = (endpoint: string, day: number | undefined): UpstreamGauges => ({
    endpoint,
    exclusion: undefined,
    head: 7,
    lag: 0,
    breaker: 'closed',
    spent: day === undefined ? undefined : { date: 0, day: 95, month: 95 },
    budget: { day, month: undefined },
  })
  const units = (): string[] => metrics.print().match(/^wayleave_upstream_units_\w+\{.*period="day"\} .*$/gm) ?? []
  watch(() => [gauges('a', 100), gauges('b', 100)])
  expect(units().filter((line) => line.endsWith(' NaN'))).toEqual([])
  expect(units()).toHaveLength(4)
  watch(() => [gauges('b', undefined)])
  expect(units().filter((line) => !line.endsWith(' NaN'))).toEqual([])
})

it('an upstream that one of several processes leaves alone is not up, whatever the idle ones say', () => {
  const state = (exclusion: UpstreamGauges['exclusion']): UpstreamGauges => ({
    endpoint: 'a',
    exclusion,
    head: 7,
    lag: 0,
    breaker: exclusion === undefined ? 'closed' : 'open',
    spent: undefined,
    budget: { day: undefined, month: undefined },
  })
  const worker = createMetrics()
  worker.network('mainnet').watchUpstreams(() => [state('cooling_down')])
  const mirror = createSeriesMirror()
  mirror.apply(worker.changes())
  const primary = createMetrics()
  primary.network('mainnet').watchUpstreams(() => [state(undefined)])
  const states = { starting: 0, serving: 1, draining: 0 }
  primary.watchWorkers({ mirrors: () => [mirror], states: () => states, restarts: () => 0 })
  const text = primary.print()
  expect(text).toContain('\nwayleave_upstream_up{network="mainnet",endpoint="a"} 0\n')
  expect(text).toContain('reason="cooling_down"} 1\n')
})
