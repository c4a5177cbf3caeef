import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../live/command-line.ts'
import { drawSchedule } from '../../live/schedule.ts'

const draw = (seed: number) => drawSchedule({ seed, nodes: 3, lengthMs: 300_000, everyMs: 8_000 })

describe('the schedule', () => {
  it('is the same for a seed, and another for another seed', () => {
    expect(draw(1)).toEqual(draw(1))
    expect(draw(1)).not.toEqual(draw(2))
  })

  it('hurts each node in both ways, and leaves the end in peace', () => {
    const schedule = draw(1)
    expect(new Set(schedule.map(({ node, kind }) => `${node} ${kind}`)).size).toBe(6)
    for (const { at, forMs } of schedule) expect(at + forMs).toBeLessThanOrEqual(290_000)
    expect(schedule.map(({ at }) => at)).toEqual(schedule.map(({ at }) => at).toSorted((a, b) => a - b))
  })
})

describe('the command line', () => {
  const parse = (...args: string[]) => parseCommandLine(args, () => 99)

  it('draws a seed where none is given', () => {
    expect(parse('--live')).toMatchObject({ seed: 99, lengthMs: 300_000, everyMs: 8_000, nodes: 'anvil' })
    expect(parse('--', '--live', '--seed', '5', '--nodes', 'geth')).toMatchObject({ seed: 5, everyMs: 20_000 })
  })

  it.each([
    [['--minutes', '0'], '--minutes takes a number from 0.4 to 120, not 0'],
    [['--seed', 'x'], '--seed takes a whole number from 0 to 4294967295, not x'],
    [['--broadcast', '0'], '--broadcast takes a whole number from 1 to 3, not 0'],
    [['--nodes', 'besu'], '--nodes takes anvil, geth, not besu'],
    [['--often'], "Unknown option '--often'"],
  ])('refuses %j', (args, message) => {
    expect(() => parse(...args)).toThrow(message)
  })
})
