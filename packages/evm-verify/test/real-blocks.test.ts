import { readFileSync } from 'node:fs'
import type { Block } from '@wayleave/evm-types'
import { describe, expect, test } from 'vitest'
import { headerHash, type Verdict, verifyBlock } from '../src/index.ts'
import { expectMutationsRefused } from './mutations.ts'

const { blocks } = JSON.parse(readFileSync(new URL('./vectors/real-blocks.json', import.meta.url), 'utf8')) as {
  readonly blocks: readonly { readonly network: string; readonly origin: string; readonly block: Block }[]
}
// The other blocks have a header alone.
const whole = blocks.filter(({ block }) => block.transactions !== undefined)
/** Members that some nodes leave out, where they say nothing. */
const mayLack = ['withdrawals', 'uncles', 'size'].concat(
  ['type', 'chainId', 'v', 'r', 's', 'yParity', 'accessList', 'gasPrice', 'mint', 'isSystemTx'].map(
    (name) => `transactions.*.${name}`,
  ),
)

describe('blocks of public networks', () => {
  test.each(blocks)('$network: the header hashes to what the network knows it by', ({ block }) => {
    expect(headerHash(block)).toBe(block.hash)
  })

  test.each(whole)('$network: the whole is proven, and each change of what is proven refused', ({ block }) => {
    const verify = (answer: unknown): Verdict => verifyBlock(answer, { hash: block.hash! })
    expect(verify(block)).toMatchObject({ ok: true, level: 'proven' })
    expect(expectMutationsRefused(block, verify, { mayLack })).toBeGreaterThan(100)
  })
})
