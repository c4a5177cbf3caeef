import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../src/options.ts'

describe('parseCommandLine', () => {
  it('runs everything by default', () => {
    expect(parseCommandLine([])).toEqual({
      only: undefined,
      quick: false,
      seed: 0,
      order: 'forwards',
      json: false,
      write: false,
      help: false,
    })
  })

  it('takes data sets by name', () => {
    expect(parseCommandLine(['--only', 'Base, busy L1']).only).toEqual(['Base', 'busy L1'])
  })

  it('writes no file but after a whole run, and refuses what it does not know', () => {
    expect(() => parseCommandLine(['--write', '--quick'])).toThrow(/whole one/)
    expect(() => parseCommandLine(['--write', '--only', 'L1'])).toThrow(/whole one/)
    expect(() => parseCommandLine(['--write', '--seed', '1'])).toThrow(/whole one/)
    expect(() => parseCommandLine(['--write', '--order', 'third'])).toThrow(/whole one/)
    expect(() => parseCommandLine(['--order', 'up'])).toThrow(/backwards, third, not up/)
    expect(() => parseCommandLine(['--seed', 'x'])).toThrow(/whole number, not x/)
    expect(() => parseCommandLine(['--fast'])).toThrow(/--fast/)
  })
})
