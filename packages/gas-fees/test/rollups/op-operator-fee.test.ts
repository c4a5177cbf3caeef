import { describe, expect, it } from 'vitest'
import { opOperatorFee, opOperatorFeeFrom, type RequestFunction } from '../../src/index.ts'

describe('the operator fee of an OP chain', () => {
  /** Parameters of op-geth's tests (core/types/rollup_cost_test.go). */
  const parameters = { operatorFeeScalar: 1_439_103_868n, operatorFeeConstant: 1_256_417_826_609_331_460n }

  it.each([
    ['isthmus', 1_256_417_826_611_659_930n],
    ['jovian', 1_256_650_673_615_173_860n],
  ] as const)('is that of op-geth by %s', (fork, fee) => {
    expect(opOperatorFee(1_618n, parameters, fork)).toBe(fee)
  })

  it('is that which op-revm gives back of a gas limit by Isthmus', () => {
    const given = { operatorFeeScalar: 2_000n, operatorFeeConstant: 5n }
    expect(opOperatorFee(50_000n, given, 'isthmus') - opOperatorFee(0n, given, 'isthmus')).toBe(100n)
  })

  it('is that of a receipt of Mantle, as MetaMask’s tests have it', () => {
    const receipt = { operatorFeeScalar: 0x5f5e100n, operatorFeeConstant: 0n }
    expect(opOperatorFee(0xceafn, receipt)).toBe(0x01e1390598dc00n)
  })

  it('is that of a receipt of a development chain, by the words of Isthmus', () => {
    const receipt = { operatorFeeScalar: 0x12cn, operatorFeeConstant: 0x190n }
    expect(opOperatorFee(0x12448n, receipt, 'isthmus')).toBe(422n)
  })
})

describe('the operator fee by the chain', () => {
  const nodeOf = (stored: unknown, answer: unknown) => {
    const asked: unknown[][] = []
    const request: RequestFunction = ({ method, params }) => {
      asked.push([method, ...params])
      return Promise.resolve(method === 'eth_getStorageAt' ? stored : answer)
    }
    return { request, asked }
  }
  const slot = (scalar: string, constant: string, before = '0'.repeat(40)): string =>
    `0x${before}${scalar.padStart(8, '0')}${constant.padStart(16, '0')}`

  it.each([
    ['nothing is stored', slot('', '')],
    ['only the scalar of Jovian for data is', slot('', '', `${'0'.repeat(36)}0190`)],
    ['the node says so in short', '0x0'],
  ])('is 0 where %s, and the oracle is not asked, which may be too old for the question', async (_, stored) => {
    const { request, asked } = nodeOf(stored, '0x')
    expect(await opOperatorFeeFrom(request, 21_000n)).toBe(0n)
    expect(asked).toEqual([['eth_getStorageAt', '0x4200000000000000000000000000000000000015', '0x8', 'latest']])
  })

  it.each([slot('12c', ''), slot('', '190')])('is the oracle’s where %s is stored', async (stored) => {
    const { request, asked } = nodeOf(stored, `0x${'1a6'.padStart(64, '0')}`)
    expect(await opOperatorFeeFrom(request, 0x12448n)).toBe(422n)
    const data = `0x275aedd2${'12448'.padStart(64, '0')}`
    expect(asked[1]).toEqual(['eth_call', { to: '0x420000000000000000000000000000000000000f', data }, 'latest'])
  })

  it('is refused where the node answers no word', async () => {
    for (const { request } of [nodeOf(null, '0x'), nodeOf(slot('1', '1'), '0x')]) {
      await expect(opOperatorFeeFrom(request, 1n)).rejects.toMatchObject({ code: 'invalid_response' })
    }
  })
})
