import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { nextBaseFee } from '../src/index.ts'

interface Row {
  readonly parentBaseFee: number
  readonly parentGasUsed: number
  readonly parentTargetGasUsed: number
  readonly expectedBaseFee: number
}
interface Step {
  readonly baseFeePerGas: string
  readonly gasUsed: string
  readonly gasLimit: string
  readonly nextBaseFeePerGas: string
}

const { table, chainSteps } = JSON.parse(
  readFileSync(new URL('vectors/eip1559-base-fee.json', import.meta.url), 'utf8'),
) as { table: readonly Row[]; chainSteps: readonly Step[] }

test('base fees follow the table of ethereumjs', () => {
  expect(table.length).toBe(50)
  for (const row of table) {
    const baseFeePerGas = BigInt(row.parentBaseFee)
    const parent = { baseFeePerGas, gasUsed: BigInt(row.parentGasUsed), gasTarget: BigInt(row.parentTargetGasUsed) }
    expect(nextBaseFee(parent)).toBe(BigInt(row.expectedBaseFee))
  }
})

test('base fees follow the test chain of execution-apis', () => {
  expect(chainSteps.length).toBe(27)
  for (const step of chainSteps) {
    const baseFeePerGas = BigInt(step.baseFeePerGas)
    const parent = { baseFeePerGas, gasUsed: BigInt(step.gasUsed), gasTarget: BigInt(step.gasLimit) / 2n }
    expect(nextBaseFee(parent)).toBe(BigInt(step.nextBaseFeePerGas))
  }
})

test('a base fee rises by 1 wei at least, and a block without a target leaves it', () => {
  expect(nextBaseFee({ baseFeePerGas: 0n, gasUsed: 2n, gasTarget: 1n })).toBe(1n)
  expect(nextBaseFee({ baseFeePerGas: 7n, gasUsed: 2n, gasTarget: 1n })).toBe(8n)
  expect(nextBaseFee({ baseFeePerGas: 7n, gasUsed: 0n, gasTarget: 0n })).toBe(7n)
})

test('the denominator is the chain’s', () => {
  const parent = { baseFeePerGas: 1_000_000n, gasUsed: 3n, gasTarget: 1n }
  expect(nextBaseFee(parent, 50n)).toBe(1_040_000n)
})
