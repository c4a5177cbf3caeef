import { createFamilies } from '../src/families.ts'
import { describe, expect, it } from 'vitest'
import { createRegistry } from '../src/registry.ts'

describe('a registry', () => {
  it('prints help and type of each metric, and a line for each series', () => {
    const registry = createRegistry()
    const calls = registry.counter({ name: 'calls_total', help: 'Calls', labels: ['network', 'status'] })
    const open = registry.gauge({ name: 'open', help: 'Open', across: 'sum' })
    calls('mainnet', '200').add()
    calls('mainnet', '200').add(2)
    calls('base', '503').add()
    open().set(7)
    open().add(-2)
    expect(registry.print()).toBe(
      [
        '# HELP calls_total Calls',
        '# TYPE calls_total counter',
        'calls_total{network="mainnet",status="200"} 3',
        'calls_total{network="base",status="503"} 1',
        '',
        '# HELP open Open',
        '# TYPE open gauge',
        'open 5',
        '',
      ].join('\n'),
    )
  })

  it('counts a value in the first bucket that holds it, and prints buckets as sums', () => {
    const registry = createRegistry()
    const sizes = registry.histogram({ name: 'size', help: 'Size', labels: ['kind'], buckets: [1, 10] })
    for (const value of [0.5, 1, 2, 10, 11]) sizes('small').observe(value)
    expect(registry.print().split('\n').slice(2, -1)).toEqual([
      'size_bucket{kind="small",le="1"} 2',
      'size_bucket{kind="small",le="10"} 4',
      'size_bucket{kind="small",le="+Inf"} 5',
      'size_sum{kind="small"} 24.5',
      'size_count{kind="small"} 5',
    ])
  })

  it('escapes label values and help, so that no name can forge a line', () => {
    const registry = createRegistry()
    registry
      .counter({ name: 'a', help: 'one\ntwo \\', labels: ['x'] })('"} 1\nb{y="\\')
      .add()
    expect(registry.print()).toBe('# HELP a one\\ntwo \\\\\n# TYPE a counter\na{x="\\"} 1\\nb{y=\\"\\\\"} 1\n')
  })

  it('keeps series apart whose labels join to the same text', () => {
    const registry = createRegistry()
    const counter = registry.counter({ name: 'a', help: 'a', labels: ['x', 'y'] })
    counter('1 2', '3').add()
    counter('1', '2 3').add()
    expect(registry.print()).toContain('a{x="1 2",y="3"} 1\na{x="1",y="2 3"} 1\n')
  })

  it('forgets the series of a label value, and no others', () => {
    const registry = createRegistry()
    const calls = registry.counter({ name: 'a', help: 'a', labels: ['network', 'status'] })
    for (const [network, status] of [
      ['one', '200'],
      ['two', 'one'],
    ] as const)
      calls(network, status).add()
    registry.forget('network', 'one')
    registry.forget('status', 'none')
    expect(registry.print()).toBe('# HELP a a\n# TYPE a counter\na{network="two",status="one"} 1\n')
    calls('one', '200').add()
    expect(registry.print()).toContain('a{network="one",status="200"} 1\n')
  })

  it('refuses label values that are too few or too many', () => {
    const counter = createRegistry().counter({ name: 'a', help: 'a', labels: ['x', 'y'] })
    expect(() => counter('1')).toThrow(/2 labels/)
  })
})

it('a family without labels prints none, whether its braces are written or left out', () => {
  const registry = createRegistry()
  const { bare, braced } = createFamilies(
    registry,
    { bare: { counter: 'bare_total', help: 'h' }, braced: { counter: 'braced_total{}', help: 'h' } },
    {},
  )
  bare().add()
  braced().add(2)
  expect(registry.print()).toContain('\nbare_total 1\n')
  expect(registry.print()).toContain('\nbraced_total 2\n')
})
