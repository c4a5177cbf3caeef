import { createBlockHeader, genRequestsRoot } from '@ethereumjs/block'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { createCLRequest, createWithdrawal } from '@ethereumjs/util'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Hex } from '@wayleave/evm-types'
import { array, assert, asyncProperty, constantFrom, integer, property, uint8Array } from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type EncodableReceipt,
  headerHash,
  logsBloom,
  receiptsRoot,
  requestsHash,
  withdrawalsRoot,
} from '../src/index.ts'
import { orderedRoot } from '../src/trie/ordered-root.ts'
import { bytesOf } from './raw-transaction.ts'
import { differentialRuns, randomHeaders, randomReceipts, randomWithdrawals } from './random-chain.ts'

const hex = (bytes: Uint8Array): Hex => `0x${bytesToHex(bytes)}`
const timeout = 60_000 + 60 * differentialRuns
const runs = { numRuns: differentialRuns }

async function oracleRoot(values: readonly Uint8Array[]): Promise<Hex> {
  const trie = new MerklePatriciaTrie()
  for (const [i, value] of values.entries()) await trie.put(RLP.encode(i), value)
  return hex(trie.root())
}

describe('what @ethereumjs computes, we do', { timeout }, () => {
  test.each(Object.entries(randomHeaders))('of headers: %s', (hardfork, header) => {
    const common = new Common({ chain: Mainnet, hardfork: Hardfork[title(hardfork)] })
    assert(
      property(header, (members) => {
        const { miner, sha3Uncles, receiptsRoot: receiptTrie, transactionsRoot: transactionsTrie, ...same } = members
        const data = { ...same, coinbase: miner!, uncleHash: sha3Uncles!, receiptTrie, transactionsTrie }
        const oracle = createBlockHeader(data as object, { common, skipConsensusFormatValidation: true })
        expect(headerHash(members)).toBe(hex(oracle.hash()))
      }),
      { numRuns: Math.ceil(differentialRuns / 6) },
    )
  })

  test('of withdrawals', async () => {
    await assert(
      asyncProperty(randomWithdrawals, async (withdrawals) => {
        const raw = withdrawals.map((withdrawal) => RLP.encode(createWithdrawal(withdrawal).raw()))
        expect(withdrawalsRoot(withdrawals)).toBe(await oracleRoot(raw))
      }),
      runs,
    )
  })

  test('of receipts', async () => {
    await assert(
      asyncProperty(randomReceipts, async (receipts) => {
        expect(receiptsRoot(receipts)).toBe(await oracleRoot(receipts.map(oracleReceipt)))
      }),
      runs,
    )
  })

  test('of requests', () => {
    assert(
      property(array(uint8Array({ minLength: 1, maxLength: 80 }), { maxLength: 5 }), (data) => {
        const requests = data.map((bytes, i) => Uint8Array.of(i, ...bytes.subarray(1)))
        const counted = requests.filter(({ length }) => length > 1).map((bytes) => createCLRequest(bytes))
        expect(requestsHash(requests.map(hex))).toBe(hex(genRequestsRoot(counted, sha256)))
      }),
      runs,
    )
  })

  test('of ordered tries of up to 300 values, short and long', async () => {
    const value = uint8Array({ minLength: 1, maxLength: 60 })
    const length = constantFrom(0, 1, 2, 16, 17, 127, 128, 129, 130, 255, 256, 257, 300)
    await assert(
      asyncProperty(
        array(value, { minLength: 1, maxLength: 12 }),
        integer({ min: 0, max: 20 }),
        length,
        async (some, few, many) => {
          // Long tries are slow in the oracle: one in twenty.
          const count = few === 0 ? many : few
          const values = Array.from({ length: count }, (_, i) => some[i % some.length]!)
          expect(hex(orderedRoot(values))).toBe(await oracleRoot(values))
        },
      ),
      runs,
    )
  })

  test('of an ordered trie of each length to 300', async () => {
    const trie = new MerklePatriciaTrie()
    const values: Uint8Array[] = []
    for (let i = 0; i < 300; i++) {
      const value = Uint8Array.from({ length: 1 + ((i * 7) % 50) }, (_, j) => i + j)
      values.push(value)
      await trie.put(RLP.encode(i), value)
      expect(hex(orderedRoot(values))).toBe(hex(trie.root()))
    }
  })
})

/** The bytes of a receipt, encoded by the oracle's RLP. */
function oracleReceipt({ type, root, status, cumulativeGasUsed, logs }: EncodableReceipt): Uint8Array {
  const list = RLP.encode([
    root == null ? (status === '0x1' ? Uint8Array.of(1) : new Uint8Array(0)) : bytesOf(root),
    BigInt(cumulativeGasUsed!),
    bytesOf(logsBloom(logs)),
    logs.map(({ address, topics, data }) => [bytesOf(address), topics.map(bytesOf), bytesOf(data)]),
  ])
  return type === '0x0' ? list : Uint8Array.of(Number(type), ...list)
}

function title(hardfork: string): keyof typeof Hardfork {
  return (hardfork[0]!.toUpperCase() + hardfork.slice(1)) as keyof typeof Hardfork
}
