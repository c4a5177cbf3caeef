import { expect, it } from 'vitest'
import { createRegistry, createSeriesMirror } from '@wayleave/telemetry'

/** A registry with one family of each kind. */
function counted() {
  const registry = createRegistry()
  return {
    registry,
    calls: registry.counter({ name: 'calls', help: 'h', labels: ['network', 'status'] }),
    open: registry.gauge({ name: 'open', help: 'h', across: 'sum' }),
    head: registry.gauge({ name: 'head', help: 'h', labels: ['network'], across: 'max' }),
    up: registry.gauge({ name: 'up', help: 'h', labels: ['network'], across: 'min' }),
    seconds: registry.histogram({ name: 'seconds', help: 'h', buckets: [1, 2] }),
  }
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

it('prints the sum of counters and histograms of all processes, and gauges by their rule', () => {
  const [own, ...workers] = [counted(), counted(), counted()]
  const mirrors = workers.map(() => createSeriesMirror())
  own!.registry.watchOthers(() => mirrors)
  own!.calls('a', '200').add(1)
  own!.head('a').set(7)
  for (const [i, { calls, open, head, up, seconds }] of workers.entries()) {
    calls('a', '200').add(10)
    calls('b"', '500').add(i + 1)
    open().set(3)
    head('a').set(i === 0 ? 9 : Number.NaN)
    up('a').set(i)
    seconds().observe(i + 0.5)
  }
  for (const [i, { registry }] of workers.entries()) mirrors[i]!.apply(structuredClone(registry.changes()))
  expect(linesOf(own!.registry.print())).toEqual([
    'calls{network="a",status="200"} 21',
    String.raw`calls{network="b\"",status="500"} 3`,
    'open 6',
    'head{network="a"} 9',
    'up{network="a"} 0',
    'seconds_bucket{le="1"} 1',
    'seconds_bucket{le="2"} 2',
    'seconds_bucket{le="+Inf"} 2',
    'seconds_sum 2',
    'seconds_count 2',
  ])
})

it('tells no series twice that is the same, and those that are gone', () => {
  const { registry, calls, seconds } = counted()
  calls('a', '200').add()
  calls('b', '200').add()
  seconds().observe(1)
  expect(registry.changes().map(({ name }) => name)).toEqual(['calls', 'seconds'])
  expect(registry.changes()).toEqual([])
  calls('a', '200').add()
  registry.forget('network', 'b')
  expect(registry.changes()).toEqual([
    {
      name: 'calls',
      isGauge: false,
      labels: ['network', 'status'],
      changed: [['a\u0000200', 2]],
      gone: ['b\u0000200'],
    },
  ])
  seconds().observe(0)
  expect(registry.changes()).toHaveLength(1)
})

it('keeps what a process has counted that has ended, without what it had', () => {
  const [own, first, second] = [counted(), counted(), counted()]
  const ended = createSeriesMirror()
  own.registry.watchOthers(() => [ended])
  for (const { registry, calls, open, seconds } of [first, second]) {
    calls('a', '200').add(4)
    open().set(2)
    seconds().observe(1)
    const mirror = createSeriesMirror()
    mirror.apply(registry.changes())
    ended.adopt(mirror)
  }
  const text = own.registry.print()
  expect(text).toContain('calls{network="a",status="200"} 8\n')
  expect(text).toContain('seconds_count 2\n')
  expect(text).not.toMatch(/^open/m)
  ended.forget('network', 'a')
  expect(own.registry.print()).not.toContain('network="a"')
})
