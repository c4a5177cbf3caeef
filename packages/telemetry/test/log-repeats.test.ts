import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'
import { createLogRepeats, type LogRepeats } from '../src/log-repeats.ts'

function scene(maxKinds = 500): { clock: FakeClock; repeats: LogRepeats; lines: unknown[] } {
  const clock = new FakeClock()
  const lines: unknown[] = []
  const at = (level: string) => (fields: object, text: string) => void lines.push({ level, text, ...fields })
  const repeats = createLogRepeats({ log: { warn: at('warn'), error: at('error') }, clock, maxKinds })
  return { clock, repeats, lines }
}

describe('a line of the log that repeats', () => {
  it('is written at once, then counted, with the latest as the example', () => {
    const { clock, repeats, lines } = scene()
    for (let i = 1; i <= 100; i++) repeats.warn(['failed', 'mainnet', 'a'], { traceId: `t${i}` }, `down ${i}`)
    expect(lines).toEqual([{ level: 'warn', text: 'down 1', traceId: 't1' }])
    clock.advance(9_999)
    expect(lines).toHaveLength(1)
    clock.advance(1)
    expect(lines.slice(1)).toEqual([{ level: 'warn', text: 'down 100', traceId: 't100', repeated: 99 }])
    repeats.warn(['failed', 'mainnet', 'a'], {}, 'down 101')
    clock.advance(10_000)
    expect(lines.slice(2)).toEqual([{ level: 'warn', text: 'down 101', repeated: 1 }])
  })

  it('is new again after ten seconds of silence, and keeps no timer', () => {
    const { clock, repeats, lines } = scene()
    repeats.error(['internal'], {}, 'a bug')
    clock.advance(10_000)
    expect(clock.timers).toBe(0)
    repeats.error(['internal'], {}, 'a bug')
    expect(lines).toEqual([
      { level: 'error', text: 'a bug' },
      { level: 'error', text: 'a bug' },
    ])
  })

  it('hides none of another kind', () => {
    const { repeats, lines } = scene()
    for (const kind of [['a', 'bc'], ['ab', 'c'], ['a']]) repeats.warn(kind, {}, kind.join('-'))
    expect(lines).toHaveLength(3)
  })

  it('is not lost when the log closes', () => {
    const { clock, repeats, lines } = scene()
    for (let i = 0; i < 3; i++) repeats.warn(['a'], { i }, 'a')
    repeats.warn(['b'], {}, 'b')
    repeats.flush()
    expect(lines.slice(2)).toEqual([{ level: 'warn', text: 'a', i: 2, repeated: 2 }])
    expect(clock.timers).toBe(0)
  })

  it('shares one kind with all others beyond a bound', () => {
    const { clock, repeats, lines } = scene(3)
    for (let i = 0; i < 1_000; i++) repeats.warn([`kind ${i}`], { i }, 'a')
    expect(lines).toHaveLength(4)
    expect(clock.timers).toBe(4)
    clock.advance(10_000)
    expect(lines.slice(4)).toEqual([{ level: 'warn', text: 'a', i: 999, repeated: 996 }])
  })
})
