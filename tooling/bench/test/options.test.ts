import { describe, expect, it } from 'vitest'
import { BenchError } from '../src/error.ts'
import { parseCommandLine } from '../src/options.ts'

describe('parseCommandLine', () => {
  it('runs at least eight rounds and writes, unless told otherwise', () => {
    expect(parseCommandLine([])).toMatchObject({ rounds: 8, seconds: 1.5, rate: 1000, connections: 32, write: true })
    expect(parseCommandLine(['--no-write'])).toMatchObject({ write: false })
  })

  it('writes no file for a part of the bench', () => {
    for (const args of [['--quick'], ['--only', 'small'], ['--subjects', 'nginx'], ['--rounds', '7']]) {
      expect(parseCommandLine(args).write, args.join(' ')).toBe(false)
    }
  })

  it('takes several parts, and what pnpm passes on', () => {
    expect(parseCommandLine(['--', '--only', 'cached,mix', '--workers', '2'])).toMatchObject({
      only: ['cached', 'mix'],
      workers: 2,
      write: false,
    })
  })

  it('shortens a quick run', () => {
    expect(parseCommandLine(['--quick'])).toMatchObject({ rounds: 2, seconds: 0.5, repeats: 0, quick: true })
  })

  it('makes calls before each measurement for as long as it is told', () => {
    expect(parseCommandLine([]).leadIn).toBeUndefined()
    expect(parseCommandLine(['--lead-in', '0.5']).leadIn).toBe(0.5)
  })

  it.each([
    [['--lead-in', '-1']],
    [['--rounds', 'many']],
    [['--rounds', '2.5']],
    [['--seconds', '0']],
    [['--only', 'medium']],
    [['--only', 'small,medium']],
    [['--workers', '0']],
    [['--loud']],
    [['x']],
  ])('refuses %j', (args) => {
    expect(() => parseCommandLine(args)).toThrow(BenchError)
  })
})
