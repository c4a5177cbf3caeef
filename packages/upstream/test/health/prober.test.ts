import { RpcError } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createProber, createUpstreamHealth, type ProberOptions, type UpstreamHealth } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function setUp(probe: ProberOptions['probe']) {
  const clock = new FakeClock(0)
  const probed: { at: number; hasAnswered: boolean }[] = []
  const prober = createProber({ clock, probe })
  const health: UpstreamHealth = {
    ...createUpstreamHealth({ name: 'node' }),
    probed: (hasAnswered, at) => probed.push({ at, hasAnswered }),
  }
  return { clock, prober, health, probed }
}

describe('a prober', () => {
  it('probes an upstream by name when it is due, with a deadline', async () => {
    const asked: unknown[] = []
    const { clock, prober, health, probed } = setUp(async (name, { deadline }) => asked.push([name, deadline]))
    prober.schedule(health, 500)
    clock.advance(499)
    expect(asked).toEqual([])
    clock.advance(1)
    await settled()
    expect(asked).toEqual([['node', 2_500]])
    expect(probed).toEqual([{ at: 500, hasAnswered: true }])
    expect(clock.timers).toBe(0)
  })

  it('tells of one that fails, in any way', async () => {
    for (const probe of [
      () => Promise.reject(new RpcError('connect', '')),
      () => {
        throw new Error('a bug')
      },
    ]) {
      const { clock, prober, health, probed } = setUp(probe)
      prober.schedule(health, 0)
      clock.advance(0)
      await settled()
      expect(probed).toEqual([{ at: 0, hasAnswered: false }])
    }
  })

  it('waits for two seconds at most, though the probe ignores its context', async () => {
    const { clock, prober, health, probed } = setUp(() => new Promise(() => {}))
    prober.schedule(health, 0)
    clock.advance(1_999)
    expect(probed).toEqual([])
    clock.advance(1)
    expect(probed).toEqual([{ at: 2_000, hasAnswered: false }])
  })

  it('has one probe an upstream: the earliest', async () => {
    let count = 0
    const { clock, prober, health } = setUp(() => new Promise(() => count++))
    prober.schedule(health, 5_000)
    prober.schedule(health, 1_000)
    prober.schedule(health, 3_000)
    clock.advance(1_000)
    await settled()
    prober.schedule(health, 0)
    clock.advance(500)
    await settled()
    expect(count).toBe(1)
  })

  it('ends all probes when it is closed, and begins none', async () => {
    let why: RpcError | undefined
    const { clock, prober, health, probed } = setUp(
      (_name, context) => new Promise(() => context.onCancel((reason) => (why = reason))),
    )
    prober.schedule(health, 0)
    clock.advance(0)
    await settled()
    prober.close()
    prober.schedule(health, 0)
    clock.advance(10_000)
    await settled()
    expect(why?.code).toBe('aborted')
    expect(probed).toEqual([])
    expect(clock.timers).toBe(0)
  })

  it('brings an upstream back without a call of a caller', async () => {
    const clock = new FakeClock(0)
    let isUp = false
    const prober = createProber({
      clock,
      probe: async () => {
        if (!isUp) throw new RpcError('connect', '')
      },
    })
    const health = createUpstreamHealth({ name: 'node', onProbeDue: (due, inMs) => prober.schedule(due, inMs) })
    for (let i = 0; i < 4; i++) health.failed(health.begin('read', 0), 'unreachable', 0)
    clock.advance(2_000)
    await settled()
    expect(health.exclusion(2_000)).toBe('cooling_down')
    isUp = true
    clock.advance(3_999)
    await settled()
    expect(health.breaker).toBe('open')
    clock.advance(1)
    await settled()
    expect(health.breaker).toBe('half_open')
    prober.close()
  })
})
