import { describe, expect, it } from 'vitest'
import { parseArguments, UsageError } from '../../src/run/args.ts'

describe('the command line', () => {
  it('runs 100 seeds from 1 on where nothing is said', () => {
    expect(parseArguments([])).toMatchObject({ seeds: 100, from: 1, seed: undefined, shrink: false, checkHash: 50 })
  })

  it('looks for a seeded bug within 2,000 seeds', () => {
    expect(parseArguments(['--mutation', 'all'])).toMatchObject({ mutation: 'all', seeds: 2_000 })
  })

  it.each([
    [['--seeds', 'many'], '--seeds takes a whole number from 1 up, but got "many"'],
    [['--seed', '-1'], /--seed/],
    [['--streams', '--verify', 'some'], '--verify takes off, consistent or proven, but got "some"'],
    [['--sede', '1'], /--sede/],
    [['--streams', '--reorgs'], 'give one of --reorgs and --streams'],
    [['--seed', '1', '--plan', 'x.json'], 'give one of --seed, --plan and --mutation'],
  ])('says what is wrong with %j', (words, message) => {
    expect(() => parseArguments(words)).toThrow(message)
    expect(() => parseArguments(words)).toThrow(UsageError)
  })
})
