import { describe, expect, it } from 'vitest'
import { chainKinds, isKindName, readChainId } from '../../src/kinds/chain-kinds.ts'

const chains = { evm: [1, 8453], rollup: [10], starknet: ['SN_MAIN', '0x1'] } as const

describe.each(['evm', 'rollup', 'starknet'] as const)('a network of kind %s', (kind) => {
  it('is of the chain that its nodes print', () => {
    for (const chainId of chains[kind]) {
      expect(chainKinds[kind].isChainId(chainId)).toBe(true)
      expect(readChainId(kind, chainKinds[kind].expectedChain(chainId))).toBe(chainId)
    }
  })

  it.each(['0x0', '0x', 'SN_MAIN', 1, null, `0x${'f'.repeat(64)}`])(
    'is of no chain where a node answers %s',
    (answer) => {
      expect(readChainId(kind, answer)).toBeUndefined()
    },
  )
})

it('a name that every object has is no kind', () => {
  expect(['constructor', 'toString', 'jsonrpc2', undefined].some(isKindName)).toBe(false)
})
