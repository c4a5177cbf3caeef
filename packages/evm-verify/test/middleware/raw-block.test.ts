import type { Hash } from '@wayleave/evm-types'
import { createContext, rawJsonFromValue, RpcError } from '@wayleave/jsonrpc-core'
import { describe, expect, test } from 'vitest'
import { type Verification, verification, verify } from '../../src/index.ts'
import { hexFromBytes } from '../../src/bytes.ts'
import { keccak } from '../../src/keccak.ts'
import { decodeRlp } from '../../src/rlp-decode.ts'
import { encodeRlp, type RlpItem } from '../../src/rlp.ts'
import { chainBlocks } from '../chain.ts'

type RawBlock = [header: RlpItem[], transactions: RlpItem[], uncles: RlpItem[], withdrawals?: RlpItem[]]
const blocks = chainBlocks()
const partsOf = (raw: Uint8Array): RawBlock => decodeRlp(raw) as never

async function ask(hash: Hash, raw: Uint8Array): Promise<Verification | string | undefined> {
  const handler = verify({ require: 'consistent' })(async () => ({ result: rawJsonFromValue(hexFromBytes(raw)) }))
  const params = rawJsonFromValue([hash])
  try {
    const { meta } = await handler({ method: 'debug_getRawBlock', params, notification: false }, createContext())
    return verification.of(meta)
  } catch (thrown) {
    return thrown instanceof RpcError ? thrown.message : Promise.reject(thrown as Error)
  }
}

describe('the bytes of a block, asked for by its hash', () => {
  test('are proven, for every block of a chain', async () => {
    for (const { raw, block } of blocks) {
      expect(await ask(block.hash!, raw)).toMatchObject({ level: 'proven', anchor: 'question' })
    }
  })

  test('are refused where a transaction stands in another form, though each root is right', async () => {
    let tried = 0
    for (const { raw, block } of blocks) {
      const [header, transactions, ...rest] = partsOf(raw)
      for (const [i, tx] of transactions.entries()) {
        if (tx instanceof Uint8Array) continue
        tried++
        const changed = encodeRlp([header, transactions.with(i, encodeRlp(tx)), ...rest] as RlpItem[])
        expect(await ask(block.hash!, changed)).toContain('expected a transaction')
      }
    }
    expect(tried).toBeGreaterThan(50)
  })

  test('are refused where anything is missing or twice', async () => {
    for (const { raw, block } of blocks.slice(-8)) {
      const parts = partsOf(raw)
      for (const [at, list] of parts.entries()) {
        const others = [[], (list as RlpItem[]).slice(1), [...(list as RlpItem[]), ...(list as RlpItem[])]]
        for (const other of others.filter(({ length }) => length !== list!.length)) {
          expect(typeof (await ask(block.hash!, encodeRlp(parts.with(at, other) as RlpItem[])))).toBe('string')
        }
      }
    }
  })

  test('of an OP-stack network since Isthmus pass, and nothing is told of their withdrawals', async () => {
    const { raw } = blocks.findLast(({ block }) => block.withdrawals?.length === 0 && block.withdrawalsRoot != null)!
    const [header, ...rest] = partsOf(raw)
    const ofContract = header.with(16, new Uint8Array(32).fill(7))
    const isthmus = ofContract.with(12, Uint8Array.of(0, 0, 0, 0, 250, 0, 0, 0, 6))
    const hashOf = (items: RlpItem[]): Hash => hexFromBytes(keccak(encodeRlp(items)))
    const reported = await ask(hashOf(isthmus), encodeRlp([isthmus, ...rest] as RlpItem[]))
    expect(reported).toMatchObject({
      level: 'unverifiable',
      reason: expect.stringContaining('withdrawalsRoot') as string,
    })
    expect(await ask(hashOf(ofContract), encodeRlp([ofContract, ...rest] as RlpItem[]))).toContain('withdrawals')
  })
})
