import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { nextBaseFee } from '../../src/simulator/base-fee.ts'

type Row = [number, number | null, string, number, number | null, number | null, string]

const chains = [
  { file: 'ethereum-23597734-23598757.json', elasticity: 2, denominator: 8 },
  { file: 'base-36964626-36965649.json', elasticity: 3, denominator: 50 },
  { file: 'polygon-77806951-77807974.json', elasticity: 2, denominator: 64 },
]

describe('nextBaseFee', () => {
  it.each(chains)('takes every step that $file took', async ({ file, elasticity, denominator }) => {
    const text = await readFile(new URL(`../../histories/${file}`, import.meta.url), 'utf8')
    const { blocks } = JSON.parse(text) as { blocks: readonly Row[] }
    const rule = { elasticity, denominator, least: 0n, moves: true }
    let steps = 0
    for (const [at, [, , baseFee, , gasUsed, gasLimit]] of blocks.slice(0, -1).entries()) {
      if (gasUsed === null || gasLimit === null) continue
      steps += 1
      expect(nextBaseFee(BigInt(baseFee), gasUsed, gasLimit, rule)).toBe(BigInt(blocks[at + 1]![2]))
    }
    expect(steps).toBeGreaterThan(700)
  })

  it('rises by 1 wei at least, falls no lower than the chain allows, and rests where the chain holds it', () => {
    const rule = { elasticity: 2, denominator: 8, least: 5n, moves: true }
    expect(nextBaseFee(0n, 100, 100, { ...rule, least: 0n })).toBe(1n)
    expect(nextBaseFee(5n, 0, 1000, rule)).toBe(5n)
    expect(nextBaseFee(900n, 0, 1000, { ...rule, moves: false })).toBe(900n)
  })
})
