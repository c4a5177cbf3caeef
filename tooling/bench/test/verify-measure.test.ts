import { describe, expect, it } from 'vitest'
import { systemClock } from '../src/defaults.ts'
import { createFullBlock } from '../src/verify-block.ts'
import { judgeVerify, measureVerify, type VerifyResult } from '../src/verify-measure.ts'
import { printVerify } from '../src/verify-report.ts'
import { verifySubjects } from '../src/verify-subjects.ts'

const summary = (median: number): { median: number; min: number; max: number } => ({ median, min: median, max: median })

function found(ratio: number, shape: number, header: number): VerifyResult {
  const figure = { what: 'its functions', ms: summary(100) }
  return {
    transactions: 300,
    types: { '0x2': 300 },
    rounds: 3,
    figures: [
      { name: 'ours', ...figure, ratio: summary(1) },
      { name: 'theirs', ...figure, ratio: summary(ratio) },
    ],
    shapeMs: summary(shape),
    headerMicros: summary(header),
  }
}

describe('createFullBlock', () => {
  it('has all types, and is the same for the same count', () => {
    const full = createFullBlock(20)
    expect(Object.fromEntries(full.types)).toEqual({ '0x0': 4, '0x1': 1, '0x2': 13, '0x3': 1, '0x4': 1 })
    expect(createFullBlock(20).block.hash).toBe(full.block.hash)
  })
})

describe('verifySubjects', () => {
  const full = createFullBlock(20)
  const tx = full.block.transactions[0]!
  const receipt = full.receipts[0]!

  it.each(verifySubjects)('$name finds a right block right', async (subject) => {
    await expect(subject.verify(full)).resolves.toBeUndefined()
  })

  it.each(verifySubjects)('$name finds another sender, value or receipt', async (subject) => {
    const withTransaction = (members: object): typeof full => {
      return {
        ...full,
        block: { ...full.block, transactions: [{ ...tx, ...members }, ...full.block.transactions.slice(1)] },
      }
    }
    for (const members of [{ from: `0x${'ab'.repeat(20)}` }, { value: '0x7' }]) {
      await expect(subject.verify(withTransaction(members))).rejects.toThrow(`${subject.name.split('/')[0]}`)
    }
    const receipts = [{ ...receipt, status: '0x0' as const }, ...full.receipts.slice(1)]
    await expect(subject.verify({ ...full, receipts })).rejects.toThrow('receipt')
  })
})

describe('measureVerify', () => {
  it('finds a cost for each library and part, and prints them', async () => {
    const rounds: number[] = []
    const plan = { transactions: 20, rounds: 2, repeats: 5 }
    const result = await measureVerify(verifySubjects, plan, systemClock, (round) => rounds.push(round))
    expect(rounds).toEqual([1, 2])
    expect(result.figures.map(({ name }) => name)).toEqual(verifySubjects.map(({ name }) => name))
    for (const { ms } of result.figures) expect(ms.min).toBeGreaterThan(0)
    expect(result.headerMicros.median).toBeGreaterThan(0)
    const report = printVerify(result, { date: '2026-01-01', machine: [['CPU', 'one']] })
    expect(report).toContain('# Verification 2026-01-01')
    for (const { name } of verifySubjects) expect(report).toContain(`| ${name} `)
  })
})

describe('judgeVerify', () => {
  it('says which bars are met', () => {
    expect(judgeVerify(found(1.2, 1.9, 49)).map(({ isMet }) => isMet)).toEqual([true, true, true])
    expect(judgeVerify(found(0.9, 2.1, 51)).map(({ isMet }) => isMet)).toEqual([false, false, false])
  })
})
