import type { Transaction } from '@wayleave/evm-types'
import { assert, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hexFromBytes } from '../src/bytes.ts'
import { signingHash, transactionHash, transactionSender, VerifyError } from '../src/index.ts'
import { signedPayload } from '../src/transaction-payload.ts'
import { bytesOf, fromRaw } from './raw-transaction.ts'
import { kinds, signatureMembers, signedTransaction } from './signed-transaction.ts'
import { chainTransactions, realTransactions, recordedTransactions } from './vectors.ts'

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The example of EIP-155, signed with the key 0x4646…46. */
const eip155 = {
  raw: '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
  signingHash: '0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53',
  sender: '0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f',
}

function errorOf(act: () => unknown): VerifyError {
  try {
    act()
  } catch (thrown) {
    if (thrown instanceof VerifyError) return thrown
    throw thrown
  }
  throw new Error('nothing was thrown')
}

describe('on real data', () => {
  test('all 249 transactions of a chain, of types 0 to 4, have their bytes, hash and sender', () => {
    const all = chainTransactions()
    const types = new Map<string, number>()
    for (const { raw, tx } of all) {
      expect(hexFromBytes(signedPayload(tx))).toBe(raw)
      expect(transactionHash(tx)).toBe(tx.hash)
      expect(transactionSender(tx)).toBe(tx.from)
      types.set(tx.type!, (types.get(tx.type!) ?? 0) + 1)
    }
    expect(Object.fromEntries(types)).toEqual({ '0x0': 196, '0x1': 23, '0x2': 23, '0x3': 6, '0x4': 1 })
  })

  test('all transactions that a node answered, pending ones too, have their hash and sender', () => {
    const all = recordedTransactions()
    for (const tx of all) {
      expect(transactionHash(tx)).toBe(tx.hash)
      expect(transactionSender(tx)).toBe(tx.from)
    }
    const seen = new Set(all.map(({ type, v }) => `${type} ${Number(v) > 34 ? 'EIP-155' : ''}`.trim()))
    expect(seen).toEqual(new Set(['0x0', '0x0 EIP-155', '0x1', '0x2', '0x3', '0x4']))
  })

  test('all transactions of public networks have their hash and sender', () => {
    const all = realTransactions()
    for (const { network, tx } of all) {
      expect(`${network} ${transactionHash(tx)}`).toBe(`${network} ${tx.hash}`)
      if (tx.type !== '0x7e') expect(transactionSender(tx)).toBe(tx.from)
    }
    expect(new Set(all.map(({ tx }) => tx.type))).toEqual(new Set(['0x0', '0x2', '0x3', '0x4', '0x7e']))
  })

  test('the example of EIP-155 has its signing hash and sender', () => {
    const tx = fromRaw(bytesOf(eip155.raw)) as Transaction
    expect(tx.v).toBe('0x25')
    expect(hexFromBytes(signedPayload(tx))).toBe(eip155.raw)
    expect(signingHash(tx)).toBe(eip155.signingHash)
    expect(transactionSender(tx)).toBe(eip155.sender)
  })
})

describe('on signed transactions of any contents', () => {
  test('the payload says what the transaction says, and the sender is who signed', () => {
    const seen = new Set<string>()
    assert(
      property(signedTransaction, ({ kind, tx }) => {
        seen.add(kind)
        // A legacy transaction's chain stands in v alone.
        const { from, hash: _, chainId, ...said } = tx
        const expected = kind === 'legacy' || kind === 'unbound' ? said : { ...said, chainId }
        expect(fromRaw(signedPayload(tx))).toEqual(expected)
        expect(transactionSender(tx)).toBe(from)
      }),
      { numRuns: 120 },
    )
    expect(seen).toEqual(new Set(kinds))
  })

  test('the other signature of the same sender is taken only where no chain is named', () => {
    assert(
      property(signedTransaction, ({ kind, tx }) => {
        const parity =
          kind === 'unbound'
            ? Number(tx.v) - 27
            : kind === 'legacy'
              ? (Number(BigInt(tx.v!) % 2n) + 1) % 2
              : Number(tx.yParity)
        const other = { ...tx, ...signatureMembers(kind, tx, 1 - parity, BigInt(tx.r!), order - BigInt(tx.s!)) }
        if (kind === 'unbound') expect(transactionSender(other)).toBe(tx.from)
        else expect(errorOf(() => transactionSender(other))).toMatchObject({ code: 'invalid_signature', field: 's' })
      }),
      { numRuns: 60 },
    )
  })
})

describe('spellings of the same transaction', () => {
  const dynamic = recordedTransactions().find(({ type }) => type === '0x2')!

  test.each<[string, Partial<Record<keyof Transaction, unknown>>]>([
    [
      'halves of the signature padded to 32 bytes',
      { r: `0x${dynamic.r!.slice(2).padStart(64, '0')}`, s: `0x${dynamic.s!.slice(2).padStart(64, '0')}` },
    ],
    ['v alone', { yParity: null }],
    ['yParity alone', { v: undefined }],
    ['digits in upper case', { to: `0x${dynamic.to!.slice(2).toUpperCase()}` }],
  ])('%s', (_what, members) => {
    const tx = { ...dynamic, ...members } as Transaction
    expect(transactionHash(tx)).toBe(dynamic.hash)
    expect(transactionSender(tx)).toBe(dynamic.from)
  })

  test('a short half of a signature, padded', () => {
    const short = chainTransactions().find(({ tx }) => tx.r!.length < 65)?.tx
    expect(short).toBeDefined()
    expect(transactionHash({ ...short!, r: `0x${short!.r!.slice(2).padStart(64, '0')}` })).toBe(short!.hash)
  })

  test('no type is a legacy one, and no access list an empty one', () => {
    const { tx: legacy } = chainTransactions().find(({ tx }) => tx.type === '0x0')!
    const { type: _, ...untyped } = legacy
    expect(transactionHash(untyped)).toBe(legacy.hash)
    const bare = recordedTransactions().find(({ accessList }) => accessList?.length === 0)!
    expect(transactionHash({ ...bare, accessList: null })).toBe(bare.hash)
  })
})

describe('what is refused', () => {
  const dynamic = recordedTransactions().find(({ type }) => type === '0x2')!
  const blob = recordedTransactions().find(({ type }) => type === '0x3')!
  const bound = fromRaw(bytesOf(eip155.raw)) as Transaction

  test('s is in its lower half up to the middle', () => {
    const middle = order / 2n
    expect(transactionSender({ ...dynamic, s: `0x${middle.toString(16)}` })).toMatch(/^0x[0-9a-f]{40}$/)
    const above = { ...dynamic, s: `0x${(middle + 1n).toString(16)}` } as const
    expect(errorOf(() => transactionSender(above))).toMatchObject({ code: 'invalid_signature', field: 's' })
  })

  test.each<[string, object, VerifyError['code'], string, string]>([
    ['a missing member', { ...dynamic, nonce: undefined }, 'malformed', 'nonce', 'nonce: expected a hex quantity'],
    ['a number that is not hex', { ...dynamic, gas: 21000 }, 'malformed', 'gas', 'got 21000'],
    ['a short address', { ...dynamic, to: '0x7d' }, 'malformed', 'to', 'to: expected a 20-byte address'],
    ['half a byte', { ...dynamic, input: '0x123' }, 'malformed', 'input', 'bytes in hex'],
    [
      'a bad storage key',
      { ...dynamic, accessList: [{ address: dynamic.to, storageKeys: ['0x1'] }] },
      'malformed',
      'accessList[0].storageKeys[0]',
      'a 32-byte hash',
    ],
    ['a blob transaction that creates a contract', { ...blob, to: null }, 'malformed', 'to', 'got null'],
    ['a type that is no number', { ...dynamic, type: 'two' }, 'malformed', 'type', 'got "two"'],
    ['a type not known', { ...dynamic, type: '0x6a' }, 'unsupported', 'type', 'type 0x6a'],
    [
      'a legacy transaction that nobody signed',
      { ...bound, v: '0x0', r: '0x0', s: '0x0' },
      'unsupported',
      'r',
      'without a signature',
    ],
    [
      'a dynamic-fee transaction that nobody signed',
      { ...dynamic, v: '0x0', yParity: '0x0', r: '0x0', s: '0x0' },
      'invalid_signature',
      's',
      'range',
    ],
    [
      'a parity beyond 1',
      { ...dynamic, v: '0x1b', yParity: undefined },
      'invalid_signature',
      'v',
      'expected 0 or 1, got 27',
    ],
    [
      'v and yParity that differ',
      { ...dynamic, v: dynamic.v === '0x0' ? '0x1' : '0x0' },
      'malformed',
      'yParity',
      'contradicts v',
    ],
    ['a legacy v below 27', { ...bound, v: '0x1' }, 'invalid_signature', 'v', 'got 1'],
    ['a legacy v between the two forms', { ...bound, v: '0x1d' }, 'invalid_signature', 'v', 'got 29'],
    ['a chain id that v does not name', { ...bound, chainId: '0x2' }, 'malformed', 'chainId', 'contradicts v'],
    ['r of zero', { ...dynamic, r: '0x0' }, 'invalid_signature', 'r', 'range'],
    ['s of zero', { ...dynamic, s: '0x0' }, 'invalid_signature', 's', 'range'],
    ['r of the order', { ...dynamic, r: `0x${order.toString(16)}` }, 'invalid_signature', 'r', 'range'],
    ['r of no point', { ...dynamic, r: '0x5' }, 'invalid_signature', 'r', 'a point of the curve'],
  ])('%s', (_what, tx, code, field, message) => {
    const error = errorOf(() => transactionSender(tx as Transaction))
    expect(error).toMatchObject({ code, field })
    expect(error.message).toContain(message)
  })
})
