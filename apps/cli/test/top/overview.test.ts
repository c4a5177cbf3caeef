import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { frameOf } from '../../src/top/frame.ts'
import { overviewOf, type Scrape, type Status } from '../../src/top/overview.ts'
import { parseMetrics } from '../../src/top/parse-metrics.ts'

const status: Status = {
  phase: 'running',
  degraded: ['network:main'],
  networks: {
    main: {
      state: 'degraded',
      upstreams: [
        { name: 'a', state: 'ok' },
        { name: 'b', state: 'down', reason: 'unreachable' },
      ],
    },
  },
}

function scrape(at: number, text: string): Scrape {
  return { at, samples: parseMetrics(text), status }
}

/** Metrics after so many calls, a tenth of which fail; each takes less than 10 ms. */
function metrics(calls: number, names: 'calls' | 'answers'): string {
  const [counter, times] = names === 'calls' ? ['calls_total', 'call_seconds'] : ['answers_total', 'answer_seconds']
  const [good, bad] = names === 'calls' ? ['outcome="ok"', 'outcome="upstream"'] : ['status="200"', 'status="502"']
  return `# HELP wayleave_${counter} Calls
wayleave_${counter}{network="main",${good}} ${calls * 0.9}
wayleave_${counter}{network="main",${bad}} ${calls * 0.1}
wayleave_${times}_bucket{network="main",le="0.005"} ${calls / 2}
wayleave_${times}_bucket{network="main",le="0.01"} ${calls}
wayleave_${times}_bucket{network="main",le="+Inf"} ${calls}
wayleave_upstream_up{network="main",endpoint="a"} 1
wayleave_upstream_head{network="main",endpoint="a"} 100
wayleave_upstream_lag_blocks{network="main",endpoint="a"} 0
wayleave_upstream_head{network="main",endpoint="b"} NaN
wayleave_upstream_calls_total{network="main",endpoint="a",purpose="caller"} ${calls}
wayleave_cache_answers_total{network="main",class="head",outcome="hit"} ${calls / 4}
wayleave_cache_answers_total{network="main",class="head",outcome="miss"} ${calls / 4}
wayleave_websocket_connections{network="main"} 3
process_resident_memory_bytes 104857600
`
}

it.each(['calls', 'answers'] as const)('counts %s between two looks', (names) => {
  const overview = overviewOf(scrape(3_000, metrics(1_200, names)), scrape(1_000, metrics(1_000, names)))
  expect(overview).toMatchObject({ phase: 'running', calls: 100, errors: 10, p50: 5, cacheHits: 0.5, sockets: 3 })
  expect(overview.p99).toBeCloseTo(9.9)
  expect(overview.networks).toHaveLength(1)
  expect(overview.networks[0]!.upstreams).toMatchObject([
    { name: 'a', state: 'ok', head: 100, lag: 0, calls: 100 },
    { name: 'b', state: 'down', reason: 'unreachable', head: undefined, calls: 0 },
  ])
})

it('begins at 0 after a restart, and has no times without calls', () => {
  const restarted = overviewOf(scrape(2_000, metrics(20, 'calls')), scrape(1_000, metrics(1_000, 'calls')))
  expect(restarted).toMatchObject({ calls: 20, errors: 2 })
  const idle = overviewOf(scrape(2_000, metrics(20, 'calls')), scrape(1_000, metrics(20, 'calls')))
  expect(idle).toMatchObject({ calls: 0, errors: 0, p50: undefined, p99: undefined, cacheHits: undefined })
})

it('reads escaped labels, and leaves out what is no metric', () => {
  const samples = parseMetrics('a{b="c\\"\\\\\\n,d=\\"e",f="}"} 1\nnonsense\n{} 2\na NaN\nb +Inf\n')
  expect([...samples]).toEqual([
    ['a', [{ labels: { b: 'c"\\\n,d="e', f: '}' }, value: 1 }]],
    ['b', [{ labels: {}, value: Number.POSITIVE_INFINITY }]],
  ])
})

it('prints no name that steers a terminal', () => {
  const stream = new PassThrough() as unknown as NodeJS.WriteStream
  const evil = '\u001B]0;owned\u0007\n\u202E'
  const hostile: Scrape = {
    ...scrape(2_000, `wayleave_upstream_up{network="${evil.replace('\n', '\\n')}",endpoint="x"} 1`),
    status: {
      phase: evil,
      degraded: [evil],
      networks: { [evil]: { state: 'ok', upstreams: [{ name: evil, state: 'ok' }] } },
    },
  }
  const lines = frameOf(overviewOf(hostile, scrape(1_000, '')), 'name', stream)
  expect(lines.join('')).not.toMatch(/\p{Cc}|\u202E/u)
  expect(lines.join('')).toContain('\\u202e')
})
