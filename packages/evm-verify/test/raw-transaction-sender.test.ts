import type { Hex, Transaction } from '@wayleave/evm-types'
import { assert, property, uint8Array } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hexFromBytes, joinBytes } from '../src/bytes.ts'
import { rawTransactionSender, VerifyError } from '../src/index.ts'
import { encodeRlp, type RlpItem } from '../src/rlp.ts'
import { decodeRlp } from '../src/rlp-decode.ts'
import { signedPayload } from '../src/transaction-payload.ts'
import { bytesOf } from './raw-transaction.ts'
import { signedTransaction } from './signed-transaction.ts'
import { chainTransactions } from './vectors.ts'

const senderOf = ({ from, nonce }: Transaction) => ({ sender: from, nonce: BigInt(nonce) })

test('all 249 transactions of a chain, of types 0 to 4, tell their sender and nonce by their bytes', () => {
  for (const { raw, tx } of chainTransactions()) expect(rawTransactionSender(raw as Hex)).toEqual(senderOf(tx))
})

test('so does a transaction of any type and contents', () => {
  assert(
    property(signedTransaction, ({ tx }) => {
      expect(rawTransactionSender(hexFromBytes(signedPayload(tx)))).toEqual(senderOf(tx))
    }),
    { numRuns: 100 },
  )
})

test('a blob transaction tells them with its blobs, too', () => {
  const { raw, tx } = chainTransactions().find((each) => each.tx.type === '0x3')!
  const inner = decodeRlp(bytesOf(raw).subarray(1))
  const blobs: RlpItem = [inner, [new Uint8Array(1_000)], [new Uint8Array(48)], [new Uint8Array(48)]]
  expect(rawTransactionSender(hexFromBytes(joinBytes([Uint8Array.of(3), encodeRlp(blobs)])))).toEqual(senderOf(tx))
})

describe('bytes that are no transaction are refused', () => {
  test.each<[string, string]>([
    ['nothing', '0x'],
    ['no hex', '0xzz'],
    ['an odd count of digits', '0x02f'],
    ['a type alone', '0x02'],
    ['type 0 in an envelope', '0x00c0'],
    ['an unknown type', '0x05c0'],
    ['no list', '0x80'],
    ['a list that is too short', '0xc101'],
    ['lists in place of numbers', `0xc9${'c0'.repeat(9)}`],
    ['a signature of nothing', `0xc9${'80'.repeat(9)}`],
  ])('%s', (_what, raw) => {
    expect(() => rawTransactionSender(raw as Hex)).toThrow(VerifyError)
  })

  test('whatever they are', () => {
    assert(
      property(uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          rawTransactionSender(hexFromBytes(bytes))
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(VerifyError)
        }
      }),
    )
  })
})
