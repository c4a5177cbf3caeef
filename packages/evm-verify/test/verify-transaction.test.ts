import type { Transaction } from '@wayleave/evm-types'
import { anything, assert, constantFrom, dictionary, integer, oneof, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { transactionHash, verifyTransaction } from '../src/index.ts'
import { kinds, signedTransaction } from './signed-transaction.ts'
import { chainTransactions, recordedTransactions } from './vectors.ts'

const recorded = recordedTransactions()
const ofType = (type: string): Transaction => recorded.find((tx) => tx.type === type)!

/** What the hash says nothing of, by type. All other members that a node answers are proven. */
const place = ['blockHash', 'blockNumber', 'blockTimestamp', 'transactionIndex']
const notProven: Readonly<Record<string, readonly string[]>> = {
  '0x0': place,
  '0x1': place,
  '0x2': [...place, 'gasPrice'],
  '0x3': [...place, 'gasPrice'],
  '0x4': [...place, 'gasPrice'],
}

/** Another value of the same form: one hex digit more or less, one item more. */
function altered(value: unknown, at: number): unknown {
  if (value === null) return `0x${'ab'.repeat(20)}`
  if (typeof value === 'string') {
    if (value.length === 2) return '0x00'
    const i = 2 + (at % (value.length - 2))
    const digit = ((parseInt(value[i]!, 16) % 15) + 1).toString(16)
    return value.slice(0, i) + digit + value.slice(i + 1)
  }
  const items = value as readonly unknown[]
  if (items.length === 0 || at % 3 === 0)
    return [...items, items[0] ?? { address: `0x${'ab'.repeat(20)}`, storageKeys: [] }]
  if (at % 3 === 1) return items.slice(1)
  return items.map((item, i) => (i === at % items.length ? alteredItem(item, at) : item))
}

function alteredItem(item: unknown, at: number): unknown {
  if (typeof item === 'string') return altered(item, at)
  const entries = Object.entries(item as object)
  return Object.fromEntries(
    entries.map(([key, value], i) => [key, i === at % entries.length ? altered(value, at) : value]),
  )
}

describe('verifyTransaction', () => {
  test('proves what hashes to the hash that was asked for', () => {
    for (const tx of recorded) {
      expect(verifyTransaction(tx, { hash: tx.hash })).toEqual({ ok: true, level: 'proven' })
    }
  })

  test('calls consistent what was asked for by its place only', () => {
    for (const { tx } of chainTransactions().slice(0, 20)) {
      const expected = { blockHash: tx.blockHash!, blockNumber: tx.blockNumber!, index: tx.transactionIndex! }
      expect(verifyTransaction(tx, expected)).toEqual({ ok: true, level: 'consistent' })
    }
    expect(verifyTransaction(recorded[0])).toEqual({ ok: true, level: 'consistent' })
  })

  test('takes a hash and an address in any case', () => {
    const tx = ofType('0x2')
    const upper = { ...tx, hash: `0x${tx.hash.slice(2).toUpperCase()}`, from: `0x${tx.from.slice(2).toUpperCase()}` }
    expect(verifyTransaction(upper, { hash: tx.hash })).toEqual({ ok: true, level: 'proven' })
  })

  test('says what another transaction hashes to', () => {
    const [asked, answered] = [ofType('0x1'), ofType('0x2')]
    expect(verifyTransaction(answered, { hash: asked.hash })).toEqual({
      ok: false,
      field: 'hash',
      reason: `the answer hashes to ${answered.hash}, not to "${asked.hash}"`,
    })
  })

  test('says what contents hash to that do not go with their hash', () => {
    const tx = { ...ofType('0x2'), value: '0xffff' } as const
    expect(verifyTransaction(tx)).toEqual({
      ok: false,
      field: 'hash',
      reason: `the answer hashes to ${transactionHash(tx)}, and says "${tx.hash}"`,
    })
  })

  test('says who signed what names another sender', () => {
    const tx = ofType('0x2')
    const other = `0x${'ab'.repeat(20)}`
    expect(verifyTransaction({ ...tx, from: other }, { hash: tx.hash })).toEqual({
      ok: false,
      field: 'from',
      reason: `the answer is signed by ${tx.from}, and says "${other}"`,
    })
  })

  test.each(['blockHash', 'blockNumber', 'transactionIndex'] as const)(
    'finds another %s than was asked for',
    (field) => {
      const { tx } = chainTransactions()[5]!
      const expected = { blockHash: tx.blockHash!, blockNumber: tx.blockNumber!, index: tx.transactionIndex! }
      for (const value of [`0x${'cd'.repeat(32)}`, null, undefined, 5]) {
        expect(verifyTransaction({ ...tx, [field]: value }, expected)).toMatchObject({ ok: false, field })
      }
    },
  )
})

describe('changes', () => {
  test.each(Object.keys(notProven))('each member of type %s is detected, or is one that no hash covers', (type) => {
    const all = recorded.filter((tx) => tx.type === type)
    for (const tx of all) {
      for (const [name, value] of Object.entries(tx)) {
        assert(
          property(integer({ min: 0, max: 10_000 }), (at) => {
            const verdict = verifyTransaction({ ...tx, [name]: altered(value, at) }, { hash: tx.hash })
            expect(`${name} ${verdict.ok}`).toMatch(
              notProven[type]!.includes(name) ? `${name} true` : new RegExp(`^${name} (false|undefined)$`),
            )
            // Only another type can make a transaction unverifiable; never another content.
            if (verdict.ok === undefined) expect(name).toBe('type')
          }),
          { numRuns: 6 },
        )
      }
    }
  })

  test.each(Object.keys(notProven))(
    'each member of type %s that is taken away is missed, but for those said twice',
    (type) => {
      const saidTwice = type === '0x0' ? ['type', 'chainId'] : ['v', 'yParity']
      for (const tx of recorded.filter((candidate) => candidate.type === type)) {
        for (const [name, value] of Object.entries(tx)) {
          const isEmptyList = name === 'accessList' && (value as unknown[]).length === 0
          const isMissed = !notProven[type]!.includes(name) && !saidTwice.includes(name) && !isEmptyList
          const { [name as keyof Transaction]: _, ...rest } = tx
          expect(`${name} ${verifyTransaction(rest, { hash: tx.hash }).ok}`).toBe(`${name} ${!isMissed}`)
        }
      }
    },
  )

  test('members of any signed contents are detected', () => {
    const seen = new Set<string>()
    assert(
      property(signedTransaction, integer({ min: 0, max: 10_000 }), ({ kind, tx }, at) => {
        seen.add(kind)
        expect(verifyTransaction(tx, { hash: tx.hash })).toEqual({ ok: true, level: 'proven' })
        const names = Object.keys(tx).filter((name) => name !== 'type' && !(kind === 'unbound' && name === 'chainId'))
        const name = names[at % names.length]!
        const other = { ...tx, [name]: altered(tx[name as keyof Transaction], at) }
        expect(`${name} ${verifyTransaction(other, { hash: tx.hash }).ok}`).toBe(`${name} false`)
      }),
      { numRuns: 100 },
    )
    expect(seen).toEqual(new Set(kinds))
  })
})

describe('what nothing can be told of', () => {
  // Made up in the form that OP-stack nodes answer deposits in.
  const deposit = {
    type: '0x7e',
    hash: `0x${'ab'.repeat(32)}`,
    blockHash: `0x${'cd'.repeat(32)}`,
    blockNumber: '0x1',
    transactionIndex: '0x0',
    from: '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001',
    to: '0x4200000000000000000000000000000000000015',
    sourceHash: `0x${'ef'.repeat(32)}`,
    mint: '0x0',
    value: '0x0',
    gas: '0xf4240',
    input: '0x',
  } as const

  test('an unknown type is neither right nor wrong', () => {
    expect(verifyTransaction(deposit, { hash: deposit.hash })).toEqual({
      ok: undefined,
      reason: 'type: how transactions of type 0x7e are hashed is not known here',
    })
  })

  test('nor is a legacy transaction that nobody signed', () => {
    const own = { ...deposit, type: '0x0', nonce: '0x0', gasPrice: '0x0', v: '0x0', r: '0x0', s: '0x0' }
    expect(verifyTransaction(own, { hash: deposit.hash })).toMatchObject({ ok: undefined })
  })

  test.each([
    ['hash', { hash: `0x${'00'.repeat(32)}` }],
    ['blockHash', { blockHash: `0x${'00'.repeat(32)}` }],
    ['transactionIndex', { index: '0x1' }],
  ] as const)('but it must say the %s that was asked for', (field, expected) => {
    expect(verifyTransaction(deposit, expected)).toMatchObject({ ok: false, field })
  })
})

describe('any value at all', () => {
  const values = anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSparseArray: true,
  })

  test.each([null, undefined, 7, 'text', [], true, Symbol('s'), 1n])('%s is no transaction', (value) => {
    expect(verifyTransaction(value)).toMatchObject({
      ok: false,
      field: '',
      reason: expect.stringMatching(/^expected a transaction, got /),
    })
  })

  test('gets a verdict, and none is right', () => {
    assert(
      property(oneof(values, dictionary(constantFrom(...Object.keys(ofType('0x4'))), values)), (value) => {
        expect([false, undefined]).toContain(verifyTransaction(value, { hash: ofType('0x1').hash }).ok)
      }),
      { numRuns: 500 },
    )
  })

  test('gets a verdict as a member of a transaction, and one that is signed makes it wrong', () => {
    const free = new Set(['accessList', 'v', 'yParity', 'type', 'chainId', ...notProven['0x2']!])
    assert(
      property(constantFrom(...recorded), integer({ min: 0, max: 100 }), values, (tx, at, value) => {
        const names = Object.keys(tx)
        const name = names[at % names.length]!
        const verdict = verifyTransaction({ ...tx, [name]: value }, { hash: tx.hash })
        expect(verdict).toHaveProperty('ok')
        if (!free.has(name) && value !== tx[name as keyof Transaction])
          expect(`${name} ${verdict.ok}`).toBe(`${name} false`)
      }),
      { numRuns: 500 },
    )
  })
})
