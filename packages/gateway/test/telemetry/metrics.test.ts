import type { StoreTally } from '@wayleave/rpc-cache'
import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { createProjectLabels } from '../../src/telemetry/project-label.ts'

const samples = (text: string): string[] =>
  text.split('\n').filter((line) => line !== '' && !/^#|^wayleave_answer_seconds/.test(line))
const durations = (text: string): string[] =>
  text.split('\n').filter((line) => line.startsWith('wayleave_answer_seconds'))

describe('metrics', () => {
  it('are Prometheus text of what was counted, by network', () => {
    const metrics = createMetrics()
    const mainnet = metrics.network('mainnet')
    mainnet.answered(200, 4)
    mainnet.answered(200, 4)
    mainnet.answered(503, 4)
    mainnet.connections(1)
    mainnet.connections(1)
    mainnet.connections(-1)
    mainnet.upstreamFailed('upstream-1', 'connect')
    metrics.network('base').answered(200, 4)
    mainnet.rejected('timeout')
    mainnet.rejected('timeout')
    metrics.refusals('401').add()
    metrics.refusals('415').add()
    metrics.refusals('401').add()
    metrics.droppedConnections().add()
    metrics.budgetRefused('maxCalls', 'open')
    expect(samples(metrics.print())).toEqual([
      'wayleave_answers_total{network="mainnet",status="200"} 2',
      'wayleave_answers_total{network="mainnet",status="503"} 1',
      'wayleave_answers_total{network="base",status="200"} 1',
      'wayleave_upstream_failures_total{network="mainnet",endpoint="upstream-1",failure="connect"} 1',
      'wayleave_websocket_connections{network="mainnet"} 1',
      'wayleave_websocket_connections{network="base"} 0',
      'wayleave_rejected_calls_total{network="mainnet",code="timeout"} 2',
      'wayleave_refusals_total{status="401"} 2',
      'wayleave_refusals_total{status="415"} 1',
      'wayleave_dropped_connections_total 1',
      'wayleave_budget_refusals_total{budget="maxCalls",project="open"} 1',
      'wayleave_log_dropped_lines_total 0',
      'wayleave_dropped_spans_total 0',
    ])
  })

  it('tell the refusals of as many projects apart as they are told', () => {
    const metrics = createMetrics({ labels: createProjectLabels(1_000) })
    for (let i = 0; i < 1_003; i++) metrics.budgetRefused('maxCalls', `project-${i}`)
    metrics.budgetRefused('maxCalls', 'project-7')
    const lines = samples(metrics.print()).filter((line) => line.startsWith('wayleave_budget_refusals_total'))
    expect(lines).toHaveLength(1_001)
    expect(lines).toContain('wayleave_budget_refusals_total{budget="maxCalls",project="project-7"} 2')
    expect(lines).toContain('wayleave_budget_refusals_total{budget="maxCalls",project="other"} 3')
  })

  it('do not grow by being read', () => {
    const metrics = createMetrics()
    metrics.network('mainnet').answered(200, 4)
    const first = metrics.print()
    expect(metrics.print()).toBe(first)
  })

  it('tell the distribution of the time to an answer, in seconds', () => {
    const metrics = createMetrics()
    const mainnet = metrics.network('mainnet')
    for (const ms of [0.4, 1, 4, 40, 90_000]) mainnet.answered(200, ms)
    const buckets = durations(metrics.print())
    expect(buckets.slice(0, 3)).toEqual([
      'wayleave_answer_seconds_bucket{network="mainnet",le="0.001"} 2',
      'wayleave_answer_seconds_bucket{network="mainnet",le="0.0025"} 2',
      'wayleave_answer_seconds_bucket{network="mainnet",le="0.005"} 3',
    ])
    expect(buckets.slice(-4)).toEqual([
      'wayleave_answer_seconds_bucket{network="mainnet",le="30"} 4',
      'wayleave_answer_seconds_bucket{network="mainnet",le="+Inf"} 5',
      'wayleave_answer_seconds_sum{network="mainnet"} 90.0454',
      'wayleave_answer_seconds_count{network="mainnet"} 5',
    ])
  })

  it('tell of each upstream its calls by purpose, its latencies, its circuit breaker and the units that it cost', () => {
    const metrics = createMetrics()
    const mainnet = metrics.network('mainnet')
    for (const purpose of ['caller', 'caller', 'hedge', 'stream', 'fee', 'head', 'probe'] as const)
      mainnet.asked('own', purpose, 0)
    mainnet.asked('paid', 'fee', 20)
    mainnet.asked('paid', 'fee', 6)
    for (const ms of [2, 30, 40_000]) mainnet.upstreamAnswered('own', ms)
    let breaker: 'closed' | 'open' | 'half_open' = 'open'
    const none = { day: undefined, month: undefined }
    let exclusion: 'wrong_chain' | 'behind' | undefined = 'wrong_chain'
    const rest = { exclusion: undefined, head: undefined, lag: undefined, budget: none }
    mainnet.watchUpstreams(() => [
      { endpoint: 'own', ...rest, exclusion, breaker, spent: undefined },
      {
        endpoint: 'paid',
        ...rest,
        budget: { day: 40, month: undefined },
        breaker: 'closed',
        spent: { day: 26, month: 1_026, date: 0 },
      },
    ])
    const of = (name: string): string[] => samples(metrics.print()).filter((line) => line.startsWith(`${name}{`))
    expect(of('wayleave_upstream_calls_total')).toEqual([
      'wayleave_upstream_calls_total{network="mainnet",endpoint="own",purpose="caller"} 2',
      'wayleave_upstream_calls_total{network="mainnet",endpoint="own",purpose="hedge"} 1',
      'wayleave_upstream_calls_total{network="mainnet",endpoint="own",purpose="stream"} 1',
      'wayleave_upstream_calls_total{network="mainnet",endpoint="own",purpose="fee"} 1',
      'wayleave_upstream_calls_total{network="mainnet",endpoint="own",purpose="head"} 1',
      'wayleave_upstream_calls_total{network="mainnet",endpoint="own",purpose="probe"} 1',
      'wayleave_upstream_calls_total{network="mainnet",endpoint="paid",purpose="fee"} 2',
    ])
    expect(of('wayleave_upstream_units_total')).toEqual([
      'wayleave_upstream_units_total{network="mainnet",endpoint="paid",purpose="fee"} 26',
    ])
    expect(of('wayleave_upstream_seconds_bucket').filter((line) => / [12]$/.test(line))).toHaveLength(13)
    expect(of('wayleave_upstream_seconds_sum')).toEqual([
      'wayleave_upstream_seconds_sum{network="mainnet",endpoint="own"} 40.032',
    ])
    expect(of('wayleave_upstream_breaker')).toEqual([
      'wayleave_upstream_breaker{network="mainnet",endpoint="own"} 1',
      'wayleave_upstream_breaker{network="mainnet",endpoint="paid"} 0',
    ])
    breaker = 'half_open'
    expect(of('wayleave_upstream_breaker')[0]).toMatch(/ 0\.5$/)
    expect(of('wayleave_upstream_units_spent')).toEqual([
      'wayleave_upstream_units_spent{network="mainnet",endpoint="paid",period="day"} 26',
      'wayleave_upstream_units_spent{network="mainnet",endpoint="paid",period="month"} 1026',
    ])
    expect(of('wayleave_upstream_units_budget')).toEqual([
      'wayleave_upstream_units_budget{network="mainnet",endpoint="paid",period="day"} 40',
    ])
    const one = 'wayleave_upstream_exclusion{network="mainnet",endpoint="own",reason='
    expect(of('wayleave_upstream_exclusion')).toEqual([`${one}"wrong_chain"} 1`])
    exclusion = 'behind'
    expect(of('wayleave_upstream_exclusion')).toEqual([`${one}"wrong_chain"} 0`, `${one}"behind"} 1`])
    exclusion = undefined
    expect(of('wayleave_upstream_exclusion')).toEqual([`${one}"wrong_chain"} 0`, `${one}"behind"} 0`])
    expect(of('wayleave_upstream_up')[0]).toMatch(/ 1$/)
  })

  it('of one name are shared', () => {
    const metrics = createMetrics()
    expect(metrics.network('mainnet')).toBe(metrics.network('mainnet'))
  })

  it('tell the lines that the log lost', () => {
    const metrics = createMetrics()
    let lost = 3
    metrics.watchLog({ droppedLines: () => lost })
    expect(samples(metrics.print())).toContain('wayleave_log_dropped_lines_total 3')
    lost = 5
    expect(samples(metrics.print())).toContain('wayleave_log_dropped_lines_total 5')
  })

  it('of two gateways in a process are not', () => {
    createMetrics().network('mainnet').answered(200, 4)
    expect(samples(createMetrics().print())).toEqual([
      'wayleave_dropped_connections_total 0',
      'wayleave_log_dropped_lines_total 0',
      'wayleave_dropped_spans_total 0',
    ])
  })

  it('of the cache count evictions on where the store counts a network anew', () => {
    const metrics = createMetrics()
    let tally: StoreTally | undefined = { bytes: 900, entries: 3, evictions: 5 }
    metrics.watchCache({ bytes: 1_000, maxBytes: 5_000, tallyOf: (name) => (name === 'mainnet' ? tally : undefined) })
    metrics.cacheAnswered('mainnet', 'miss', 'read', 0)
    const counts = (): readonly string[] =>
      samples(metrics.print()).filter((line) => /cache_(ans.*bytes|en|ev)/.test(line))
    const printed = (bytes: number, entries: number, evictions: number): readonly string[] => [
      `wayleave_cache_answer_bytes{network="mainnet"} ${bytes}`,
      `wayleave_cache_entries{network="mainnet"} ${entries}`,
      `wayleave_cache_evictions_total{network="mainnet"} ${evictions}`,
    ]
    expect(counts()).toEqual(printed(900, 3, 5))
    tally = undefined
    expect(counts()).toEqual(printed(0, 0, 5))
    tally = { bytes: 300, entries: 1, evictions: 2 }
    expect(counts()).toEqual(printed(300, 1, 7))
    expect(counts()).toEqual(printed(300, 1, 7))
  })

  it('count a network that comes back from the beginning', () => {
    const metrics = createMetrics()
    for (let i = 0; i < 2; i++) {
      metrics.network('passing').answered(200, 4)
      metrics.cacheAnswered('passing', 'hit', 'read', 7)
      const text = metrics.print()
      expect(text).toContain('wayleave_answers_total{network="passing",status="200"} 1\n')
      expect(text).toContain('wayleave_cache_answers_total{network="passing",class="read",outcome="hit"} 1\n')
      expect(text).toContain('wayleave_cache_served_bytes_total{network="passing",class="read"} 7\n')
      metrics.forgetNetwork('passing')
      expect(metrics.print()).not.toContain('passing')
    }
  })
})
