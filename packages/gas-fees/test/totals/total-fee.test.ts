import { decodeFunctionData, encodeAbiParameters, type Hex, parseAbi, parseEther, serializeTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import {
  metamask,
  printTotalFee,
  type RequestFunction,
  type RollupCall,
  suggestGasFees,
  type SuggestedGasFees,
  type TotalFee,
  type TotalFeeCall,
  totalFeeFrom,
} from '../../src/index.ts'

const from = `0x${'11'.repeat(20)}`
const to = `0x${'22'.repeat(20)}` as const
const account = privateKeyToAccount(`0x${'42'.repeat(32)}`)
const gwei = 1_000_000_000n
/** A base fee of 1 gwei, and tips of 1, 1.5 and 2 gwei. */
const fees: SuggestedGasFees = suggestGasFees(
  { percentiles: metamask.percentiles, blocks: [], nextBaseFeePerGas: gwei, blockTimeMs: 12_000 },
  { strategy: metamask },
)
const suggest = (): Promise<SuggestedGasFees> => Promise.resolve(fees)

interface Asked {
  readonly method: string
  readonly params: readonly unknown[]
}

interface Node {
  readonly request: RequestFunction
  readonly asked: Asked[]
}

/** A node by its answers; a contract is there where `code` names its address. */
function nodeOf(chainId: string, code: string, answers: Readonly<Record<string, unknown>>): Node {
  const asked: Asked[] = []
  return {
    asked,
    request: (call) => {
      const { method, params } = call
      asked.push(call)
      if (method === 'eth_chainId') return Promise.resolve(chainId)
      if (method === 'eth_getCode') return Promise.resolve(params[0] === code ? '0xfe' : '0x')
      if (method in answers) return Promise.resolve(answers[method])
      return Promise.reject(new Error(`nobody expects ${method}`))
    },
  }
}

const words = (...values: readonly bigint[]): string =>
  encodeAbiParameters(
    values.map(() => ({ type: 'uint256' })),
    values,
  )

const oracle = '0x420000000000000000000000000000000000000f'
const arbSys = '0x0000000000000000000000000000000000000064'
const systemContext = '0x000000000000000000000000000000000000800b'
const opAbi = parseAbi(['function getL1Fee(bytes) view returns (uint256)'])

const op = (answers: Readonly<Record<string, unknown>>): Node =>
  nodeOf('0xa', oracle, { eth_getStorageAt: words(0n), ...answers })
const asCall = ({ asked }: Node): readonly RollupCall[] =>
  asked.filter(({ method }) => method === 'eth_call').map(({ params }) => params[0] as RollupCall)
const methodsOf = ({ asked }: Node): readonly string[] =>
  asked
    .map(({ method }) => method)
    .filter((method) => !['eth_chainId', 'eth_getCode', 'eth_getStorageAt'].includes(method))
const levelsOf = (fee: TotalFee): Extract<TotalFee, { medium: unknown }> => {
  if (!('medium' in fee)) throw new Error('expected levels')
  return fee
}
const signedOf = (fee: TotalFee): Extract<TotalFee, { signed: unknown }>['signed'] => {
  if (!('signed' in fee)) throw new Error('expected the fees of a signed transaction')
  return fee.signed
}

describe('the total of a call', () => {
  it('is its estimated gas at the price of each level, in wei and in ETH', async () => {
    const node = nodeOf('0x1', '', { eth_estimateGas: '0x5208' })
    const fee = levelsOf(await totalFeeFrom(node.request, { from, to, value: 5n }, { suggest }))
    expect(fee).toMatchObject({ gasLimit: 21_000n, rollup: undefined, dataFee: 0n, operatorFee: 0n })
    expect(node.asked).toContainEqual({
      method: 'eth_estimateGas',
      params: [{ from, to, data: '0x', value: '0x5' }],
    })
    const executionFee = 21_000n * ((gwei * 5n) / 2n)
    expect(fee.medium).toMatchObject({
      executionFee,
      total: executionFee,
      totalEth: '0.0000525',
      atMost: 21_000n * fee.medium.maxFeePerGas,
    })
    expect([fee.low, fee.high].map(({ totalEth }) => totalEth)).toEqual(['0.000042', '0.000063'])
  })

  it('takes the gas limit that is given, and asks no node to estimate one', async () => {
    const node = nodeOf('0x1', '', {})
    const fee = levelsOf(await totalFeeFrom(node.request, { to, gas: '0x186a0' }, { suggest }))
    expect(fee.low.executionFee).toBe(100_000n * 2n * gwei)
    expect(methodsOf(node)).toEqual([])
  })

  it('suggests the fees from the same node where none are given', async () => {
    const block = { number: '0x1', timestamp: '0x68000000', baseFeePerGas: '0x3b9aca00' }
    const hashes = { hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'0'.repeat(64)}` }
    const node = nodeOf('0x1', '', {
      eth_getBlockByNumber: { ...block, ...hashes },
      eth_feeHistory: { oldestBlock: '0x1', baseFeePerGas: ['0x3b9aca00', '0x3b9aca00'], gasUsedRatio: [0.5] },
      eth_maxPriorityFeePerGas: '0x5f5e100',
    })
    const fee = levelsOf(await totalFeeFrom(node.request, { to, gas: 21_000 }))
    expect(fee.high.maxPriorityFeePerGas).toBe(100_000_000n)
    expect(fee.high.total).toBe(21_000n * 1_100_000_000n)
  })

  it('asks nothing of the chain that is known already', async () => {
    const node = nodeOf('0x1', '', { eth_estimateGas: '0x5208' })
    await totalFeeFrom(
      node.request,
      { to },
      { suggest, chain: () => Promise.resolve({ chainId: 1n, rollup: undefined }) },
    )
    expect(node.asked.map(({ method }) => method)).toEqual(['eth_estimateGas'])
  })

  it.each<[string, TotalFeeCall]>([
    ['a transfer', { to, value: 10n ** 18n, gas: 21_000, nonce: 7 }],
    ['a call with data', { to, data: `0x${'ab'.repeat(300)}`, gas: 100_000, nonce: 0 }],
    ['a creation', { data: `0x60${'00'.repeat(70_000)}`, gas: 15_000_000, nonce: 128 }],
    ['one byte', { to, data: '0x7f', gas: 21_000, nonce: 127 }],
    ['another byte', { to, data: '0x80', gas: 21_000, nonce: 256 }],
  ])('on an OP chain has the fee of the serialized transaction: %s', async (_, call) => {
    const node = op({ eth_call: words(777n) })
    const fee = levelsOf(await totalFeeFrom(node.request, call, { suggest }))
    expect(fee).toMatchObject({ rollup: 'op', dataFee: 777n })
    expect(fee.low.total).toBe(fee.low.executionFee + 777n)
    expect(fee.low.atMost).toBe(fee.gasLimit * fee.low.maxFeePerGas + 777n)
    const [asked] = asCall(node)
    const { maxFeePerGas, maxPriorityFeePerGas } = fee.high
    const expected = serializeTransaction({
      type: 'eip1559',
      chainId: 10,
      to: call.to as Hex | undefined,
      data: call.data as Hex | undefined,
      value: call.value as bigint | undefined,
      gas: BigInt(call.gas!),
      nonce: Number(call.nonce),
      maxFeePerGas,
      maxPriorityFeePerGas,
    })
    expect(decodeFunctionData({ abi: opAbi, data: asked!.data as Hex }).args).toEqual([expected])
  })

  it('on an OP chain has the fee of the operator for its gas limit', async () => {
    const node = op({ eth_getStorageAt: words(400n), eth_call: words(777n) })
    const fee = levelsOf(await totalFeeFrom(node.request, { to, gas: 50_000n }, { suggest }))
    expect(fee).toMatchObject({ dataFee: 777n, operatorFee: 777n })
    expect(fee.low.total).toBe(fee.low.executionFee + 2n * 777n)
    expect(fee.low.atMost).toBe(50_000n * fee.low.maxFeePerGas + 2n * 777n)
    expect(asCall(node)[1]!.data).toBe(`0x275aedd2${words(50_000n).slice(2)}`)
  })

  it('on Mantle has the fee of its data in MNT, of which the oracle tells only the price in ETH', async () => {
    const tokenRatio = '0x06f837d3'
    const node = nodeOf('0x1388', oracle, { eth_getStorageAt: words(0n) })
    const request: RequestFunction = async (call) => {
      if (call.method !== 'eth_call') return node.request(call)
      return words((call.params[0] as RollupCall).data === tokenRatio ? 3_020n : 777n)
    }
    const fee = levelsOf(await totalFeeFrom(request, { to, gas: 50_000n }, { suggest }))
    expect(fee).toMatchObject({ rollup: 'op', dataFee: 777n * 3_020n })
    expect(fee.low.total).toBe(fee.low.executionFee + 777n * 3_020n)
  })

  it('on Arbitrum pays for its data by a part of its gas, and for no tip', async () => {
    const node = nodeOf('0xa4b1', arbSys, { eth_call: words(500_000n, 300_000n, 10_000_000n, gwei) })
    const fee = levelsOf(await totalFeeFrom(node.request, { from, to, data: '0xab' }, { suggest }))
    expect(fee).toMatchObject({ rollup: 'arbitrum', gasLimit: 500_000n, dataFee: 300_000n * 10_000_000n })
    expect(fee.high.executionFee).toBe(200_000n * gwei)
    expect(fee.high.atMost).toBe(500_000n * fee.high.maxFeePerGas)
    expect(methodsOf(node)).toEqual(['eth_call'])
  })

  it('on Arbitrum is not executed where its gas limit is given', async () => {
    const node = nodeOf('0xa4b1', arbSys, { eth_call: words(300_000n, 10_000_000n, gwei) })
    const fee = levelsOf(await totalFeeFrom(node.request, { to, gas: 400_000n }, { suggest }))
    expect(fee).toMatchObject({ gasLimit: 400_000n, dataFee: 3_000_000_000_000n })
    const abi = parseAbi([
      'function gasEstimateL1Component(address, bool, bytes) view returns (uint64, uint256, uint256)',
    ])
    expect(decodeFunctionData({ abi, data: asCall(node)[0]!.data as Hex }).args).toEqual([to, false, '0x'])
  })

  it('on Linea offers no less than its node asks for the data', async () => {
    const answer = { gasLimit: '0x5208', baseFeePerGas: '0x7', priorityFeePerGas: '0x9502f9000' }
    const node = nodeOf('0xe708', '', { linea_estimateGas: answer })
    const fee = levelsOf(await totalFeeFrom(node.request, { from, to }, { suggest }))
    expect(fee).toMatchObject({ rollup: 'linea', gasLimit: 21_000n, dataFee: 0n })
    for (const level of [fee.low, fee.medium, fee.high]) expect(level.maxPriorityFeePerGas).toBe(40n * gwei)
    expect(fee.low.executionFee).toBe(21_000n * 41n * gwei)
    expect(fee.low.maxFeePerGas).toBe(41n * gwei)
  })

  it('on zkSync has the gas limit of its node, and no smaller max fee', async () => {
    const answer = { gas_limit: '0x156c00', max_fee_per_gas: '0xba43b7400' }
    const node = nodeOf('0x144', systemContext, { zks_estimateFee: answer })
    const fee = levelsOf(await totalFeeFrom(node.request, { from, to }, { suggest }))
    expect(fee).toMatchObject({ rollup: 'zksync', gasLimit: 0x156c00n, dataFee: 0n })
    expect(fee.low).toMatchObject({ maxFeePerGas: 50n * gwei, maxPriorityFeePerGas: gwei })
    expect(fee.low.executionFee).toBe(0x156c00n * 2n * gwei)
  })

  it.each([
    [{ to: '0x12' }, 'expected 0x and 40 hex digits as to, got 0x12'],
    [{ to, data: '0x123' }, 'expected 0x and pairs of hex digits as data'],
    [{ to, value: -1 }, 'expected a whole number as value, got -1'],
    [{ to, gas: 'much' }, 'expected a whole number as gas, got much'],
    [{ to, gas: '9'.repeat(78) }, `expected at most 2^64 - 1 as gas, got ${'9'.repeat(78)}`],
    [{ to, nonce: '18446744073709551616' }, 'expected at most 2^64 - 1 as nonce, got 18446744073709551616'],
    [{ to, value: '9'.repeat(78) }, `expected at most 2^256 - 1 as value, got ${'9'.repeat(78)}`],
    [{ to, gasPrice: 5 }, 'expected from, to, data, value, gas and nonce of a call, got gasPrice'],
    [null, 'expected from, to, data, value, gas and nonce of a call, got null'],
  ])('is refused of %j before anything is asked', async (call, message) => {
    const node = nodeOf('0x1', '', {})
    await expect(totalFeeFrom(node.request, call as TotalFeeCall, { suggest })).rejects.toMatchObject({
      code: 'malformed',
      message,
    })
    expect(node.asked).toEqual([])
  })

  it('is refused where the node answers no gas, no chain id', async () => {
    for (const [chainId, gas] of [
      ['0x1', null],
      ['one', '0x1'],
    ] as const) {
      const node = nodeOf(chainId, '', { eth_estimateGas: gas })
      await expect(totalFeeFrom(node.request, { to }, { suggest })).rejects.toMatchObject({ code: 'invalid_response' })
    }
  })

  it('is printed as JSON, its amounts as decimal digits', async () => {
    const fee = await totalFeeFrom(nodeOf('0x1', '', {}).request, { to, gas: 21_000 }, { suggest })
    const printed = JSON.parse(printTotalFee(fee)) as { readonly gasLimit: unknown; readonly low: unknown }
    expect(printed.gasLimit).toBe('21000')
    expect(printed.low).toMatchObject({ executionFee: '42000000000000', totalEth: '0.000042' })
    expect(printed).not.toHaveProperty('rollup')
  })
})

describe('the total of a signed transaction', () => {
  const common = { to, value: parseEther('1'), gas: 50_000n, nonce: 9, data: `0x${'cd'.repeat(80)}` as Hex }
  const offer = { maxFeePerGas: 3n * gwei, maxPriorityFeePerGas: gwei }

  it.each([
    ['a max fee', { ...common, ...offer, type: 'eip1559', chainId: 10 }, 2n],
    ['a max fee below the base fee', { ...common, maxFeePerGas: 5n, type: 'eip1559', chainId: 10 }, 0n],
    ['a gas price', { ...common, gasPrice: 7n * gwei, type: 'legacy', chainId: 10 }, 7n],
    [
      'a gas price and an access list',
      {
        ...common,
        gasPrice: 7n * gwei,
        type: 'eip2930',
        chainId: 10,
        accessList: [{ address: to, storageKeys: [`0x${'1'.repeat(64)}`] }],
      },
      7n,
    ],
    [
      'authorizations',
      {
        ...common,
        ...offer,
        type: 'eip7702',
        chainId: 10,
        authorizationList: [
          { address: to, chainId: 10, nonce: 1, r: `0x${'1'.repeat(64)}`, s: `0x${'2'.repeat(64)}`, yParity: 1 },
        ],
      },
      2n,
    ],
  ] as const)(
    'with %s is that of its own gas limit and fees, and of its bytes without the signature',
    async (_, transaction, price) => {
      const node = op({ eth_call: words(777n) })
      const raw = await account.signTransaction(transaction as never)
      const fee = await totalFeeFrom(node.request, raw, { suggest })
      expect(fee).toMatchObject({ gasLimit: 50_000n, rollup: 'op', dataFee: 777n })
      expect(signedOf(fee).total).toBe(50_000n * (price === 0n ? 5n : price * gwei) + 777n)
      expect(methodsOf(node)).toEqual(['eth_call'])
      const [asked] = decodeFunctionData({ abi: opAbi, data: asCall(node)[0]!.data as Hex }).args
      const { chainId, ...rest } = transaction
      const unsigned = serializeTransaction((transaction.type === 'legacy' ? rest : { ...rest, chainId }) as never)
      expect(asked).toBe(unsigned)
    },
  )

  it('on Arbitrum, Linea and zkSync executes nothing', async () => {
    const signedFor = (chainId: number): Promise<Hex> =>
      account.signTransaction({ ...common, ...offer, type: 'eip1559', chainId })
    const arbitrum = nodeOf('0xa4b1', arbSys, { eth_call: words(20_000n, gwei, gwei) })
    const onArbitrum = await totalFeeFrom(arbitrum.request, await signedFor(0xa4b1), { suggest })
    expect(signedOf(onArbitrum).total).toBe(50_000n * gwei)
    for (const [chainId, code] of [
      ['0xe708', ''],
      ['0x144', systemContext],
    ] as const) {
      const { request } = nodeOf(chainId, code, {})
      const fee = await totalFeeFrom(request, await signedFor(Number(chainId)), { suggest })
      expect(signedOf(fee).total).toBe(50_000n * 2n * gwei)
    }
  })

  it.each([
    ['eip1559', { ...offer, type: 'eip1559', chainId: 1 }],
    ['eip2930', { gasPrice: gwei, type: 'eip2930', chainId: 1 }],
    ['legacy', { gasPrice: gwei, type: 'legacy', chainId: 1 }],
  ] as const)('is refused for another chain: %s', async (_, transaction) => {
    const raw = await account.signTransaction({ ...common, ...transaction } as never)
    const node = op({ eth_call: words(777n) })
    await expect(totalFeeFrom(node.request, raw, { suggest })).rejects.toMatchObject({
      code: 'malformed',
      message: 'expected a transaction of the chain 10, got one that is signed for the chain 1',
    })
    expect(methodsOf(node)).toEqual([])
  })

  it('is that of any chain where the signature names none', async () => {
    const raw = await account.signTransaction({ ...common, gasPrice: gwei, type: 'legacy' })
    const fee = await totalFeeFrom(nodeOf('0x1', '', {}).request, raw, { suggest })
    expect(signedOf(fee).maxFeePerGas).toBe(gwei)
  })

  it.each([
    ['0x02', 'the bytes of a signed transaction'],
    ['0x02c0', '12 fields of a signed transaction, got 0'],
    ['0x02f8', 'the bytes of a signed transaction'],
    ['0xcb80018252088080808080b8', 'the bytes of a signed transaction'],
    ['0xd2800189010000000000000000808080808080', 'at most 2^64 - 1 as gas, got 18446744073709551616'],
    ['0xc5808080', 'the bytes of a signed transaction'],
    ['0x02cc80808080808080808080808000', 'the bytes of a signed transaction'],
    ['hello', '0x and pairs of hex digits'],
    ['0x', 'a transaction of type 0, 1, 2 or 4, got one of type 0x'],
    ['0x7ef8', 'got one of type 0x7e'],
    ['0x03f8', 'got one of blobs, whose price suggestBlobFee tells'],
  ])('is refused of %s, in words for it', async (raw, said) => {
    const refused = totalFeeFrom(nodeOf('0x1', '', {}).request, raw, { suggest })
    await expect(refused).rejects.toMatchObject({
      code: 'malformed',
      message: expect.stringContaining(said) as string,
    })
  })
})
