import type { Transaction } from '@wayleave/evm-types'
import { anything, assert, constantFrom, dictionary, integer, oneof, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { signingHash, transactionHash, transactionSender, verifyTransaction } from '../src/index.ts'
import { expectMutationsRefused, type MutationOptions } from './mutations.ts'
import { kinds, signedTransaction } from './signed-transaction.ts'
import { chainTransactions, realTransactions, recordedTransactions, unknownTransactions } from './vectors.ts'

const recorded = recordedTransactions()
const genuine = [...recorded, ...realTransactions().map(({ tx }) => tx)]
const place = ['blockHash', 'blockNumber', 'blockTimestamp', 'transactionIndex']
const ofType = (type: string): Transaction => recorded.find((tx) => tx.type === type)!

/** Members that nodes spell in more than one way, and which of them a node may leave out of this transaction. */
function spellingsOf(tx: Transaction): MutationOptions {
  const mayLack = ['gasPrice', 'blockTimestamp']
  if (tx.accessList?.length === 0) mayLack.push('accessList')
  if (tx.type === '0x0') mayLack.push('type', 'chainId', 'yParity')
  else if (tx.v != null && tx.yParity != null) mayLack.push('v', 'yParity')
  if (tx.type !== '0x7e') return { mayLack }
  mayLack.push('v', 'r', 's', 'yParity', 'isSystemTx')
  if (tx.mint === '0x0') mayLack.push('mint')
  return { mayLack, padded: ['v', 'r', 's', 'yParity'] }
}

describe('verifyTransaction', () => {
  test('proves what hashes to the hash that was asked for', () => {
    for (const tx of recorded) {
      expect(verifyTransaction(tx, { hash: tx.hash })).toMatchObject({ ok: true, level: 'proven' })
    }
  })

  test('calls consistent what was asked for by its place only', () => {
    for (const { tx } of chainTransactions().slice(0, 20)) {
      const expected = { blockHash: tx.blockHash!, blockNumber: tx.blockNumber!, index: tx.transactionIndex! }
      expect(verifyTransaction(tx, expected)).toMatchObject({ ok: true, level: 'consistent' })
    }
    expect(verifyTransaction(recorded[0])).toMatchObject({ ok: true, level: 'consistent' })
  })

  test('takes a hash and an address in any case', () => {
    const tx = ofType('0x2')
    const upper = { ...tx, hash: `0x${tx.hash.slice(2).toUpperCase()}`, from: `0x${tx.from.slice(2).toUpperCase()}` }
    expect(verifyTransaction(upper, { hash: tx.hash })).toMatchObject({ ok: true, level: 'proven' })
    for (const name of ['hash', 'from'] as const) {
      const other = { ...tx, [name]: tx[name].replace('0x', '0X') }
      expect(verifyTransaction(other, { hash: tx.hash })).toMatchObject({ ok: false, field: name })
    }
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

describe('the report', () => {
  const contents = (tx: Transaction, expected?: object): Record<string, string> => {
    const verdict = verifyTransaction(tx, expected)
    if (verdict.ok !== true) throw new Error(JSON.stringify(verdict))
    return verdict.fields
  }

  test('tells of every member that the answer holds', () => {
    for (const tx of genuine) {
      const reported = Object.keys(contents(tx, { hash: tx.hash }))
      expect(reported.filter((path) => !path.includes('.'))).toEqual(Object.keys(tx))
    }
  })

  test('a dynamic-fee transaction by its hash', () => {
    const tx = { ...ofType('0x2'), l1Fee: '0x5' }
    expect(contents(tx, { hash: tx.hash })).toEqual({
      accessList: 'proven',
      'accessList.*.address': 'proven',
      'accessList.*.storageKeys': 'proven',
      blockHash: 'unverifiable',
      blockNumber: 'unverifiable',
      blockTimestamp: 'unverifiable',
      chainId: 'proven',
      from: 'proven',
      gas: 'proven',
      gasPrice: 'unverifiable',
      hash: 'proven',
      input: 'proven',
      l1Fee: 'unverifiable',
      maxFeePerGas: 'proven',
      maxPriorityFeePerGas: 'proven',
      nonce: 'proven',
      r: 'proven',
      s: 'proven',
      to: 'proven',
      transactionIndex: 'unverifiable',
      type: 'proven',
      v: 'proven',
      value: 'proven',
      yParity: 'proven',
    })
  })

  test('nothing is proven where no hash was expected; a place that was asked for is consistent', () => {
    const { tx } = chainTransactions()[5]!
    const expected = { blockHash: tx.blockHash!, blockNumber: tx.blockNumber!, index: tx.transactionIndex! }
    const fields = contents(tx, expected)
    expect(new Set(Object.values(fields))).toEqual(new Set(['consistent']))
  })

  test('an upper bound is no price: what was paid follows from the base fee of the block', () => {
    const { tx } = realTransactions().find(({ tx: { type, gasPrice } }) => type === '0x2' && gasPrice === '0xb2d05e31')!
    expect(contents(tx, { baseFeePerGas: '0x31' })['gasPrice']).toBe('consistent')
    expect(verifyTransaction(tx, { baseFeePerGas: '0x32' })).toEqual({
      ok: false,
      field: 'gasPrice',
      reason: 'the answer\'s gasPrice is "0xb2d05e31", not "0xb2d05e32"',
    })
    // The cap holds where base fee and priority fee are more.
    const capped = { ...tx, gasPrice: tx.maxFeePerGas }
    expect(contents(capped as Transaction, { baseFeePerGas: '0xffff' })['gasPrice']).toBe('consistent')
    expect(verifyTransaction({ ...tx, gasPrice: 5 }, { baseFeePerGas: '0x31' })).toMatchObject({
      ok: false,
      field: 'gasPrice',
    })
  })

  test('the price of types 0 and 1 is signed, whatever the base fee', () => {
    for (const type of ['0x0', '0x1'])
      expect(contents(ofType(type), { baseFeePerGas: '0x1' })['gasPrice']).toBe('consistent')
  })

  test('the chain of a legacy transaction is proven only where v names it', () => {
    const bound = recorded.find((tx) => tx.type === '0x0' && tx.chainId != null && Number(tx.v) > 28)!
    expect(contents(bound, { hash: bound.hash })['chainId']).toBe('proven')
    const unbound = { ...recorded.find((tx) => tx.type === '0x0' && Number(tx.v) < 29)!, chainId: '0x1' } as const
    expect(contents(unbound, { hash: unbound.hash })['chainId']).toBe('unverifiable')
  })

  test('a null tells nothing, but for a contract that is created', () => {
    const tx = { ...ofType('0x2'), yParity: null, accessList: [], to: null, maxFeePerBlobGas: null } as Transaction
    const hash = transactionHash(tx)
    const said = { ...tx, hash, from: transactionSender(tx) }
    expect(contents(said, { hash })).toMatchObject({
      yParity: 'unverifiable',
      to: 'proven',
      maxFeePerBlobGas: 'unverifiable',
    })
  })

  test('members of list entries that nobody hashes are unverifiable', () => {
    const tx = realTransactions().find(({ authorities }) => authorities !== undefined)!.tx
    const list = tx.authorizationList!.map((entry) => ({ ...entry, note: 'x' }))
    const fields = contents({ ...tx, authorizationList: list }, { hash: tx.hash })
    expect(fields).toMatchObject({ 'authorizationList.*.nonce': 'proven', 'authorizationList.*.note': 'unverifiable' })
  })

  test('the time of its block is compared where the answer tells it', () => {
    const tx = { ...chainTransactions()[5]!.tx, blockTimestamp: '0x64' } as Transaction
    expect(contents(tx, { blockTimestamp: '0x64' })['blockTimestamp']).toBe('consistent')
    expect(verifyTransaction(tx, { blockTimestamp: '0x65' })).toMatchObject({ ok: false, field: 'blockTimestamp' })
    const { blockTimestamp: _, ...without } = tx
    expect(verifyTransaction(without, { blockTimestamp: '0x65' })).toMatchObject({ ok: true })
  })
})

describe('every change of what the report calls proven or consistent is refused', () => {
  test.each(['0x0', '0x1', '0x2', '0x3', '0x4', '0x7e'])('of type %s, asked for by its hash', (type) => {
    const all = genuine.filter((tx) => tx.type === type)
    let tried = 0
    for (const tx of all) {
      tried += expectMutationsRefused(tx, (answer) => verifyTransaction(answer, { hash: tx.hash }), spellingsOf(tx))
    }
    expect(tried).toBeGreaterThan(all.length * 80)
  })

  test('of the transactions of a chain', { timeout: 120_000 }, () => {
    // Four of each type; all 249 with DIFFERENTIAL set.
    const most = process.env['DIFFERENTIAL'] === undefined ? 4 : Infinity
    const some = [...Map.groupBy(chainTransactions(), ({ tx }) => tx.type).values()].flatMap((of) => of.slice(0, most))
    let tried = 0
    for (const { tx } of some) {
      tried += expectMutationsRefused(tx, (answer) => verifyTransaction(answer, { hash: tx.hash }), spellingsOf(tx))
    }
    expect(tried).toBeGreaterThan(some.length * 150)
  })

  test('asked for by its place', () => {
    for (const { tx } of chainTransactions().filter((_, i) => i % 25 === 0)) {
      const expected = { blockHash: tx.blockHash!, blockNumber: tx.blockNumber!, index: tx.transactionIndex! }
      // Without an expected hash, contents and hash may change together, but no member alone.
      expectMutationsRefused(tx, (answer) => verifyTransaction(answer, expected), spellingsOf(tx))
    }
  })

  test('with the base fee of its block', () => {
    for (const { tx } of realTransactions().filter(
      ({ network, tx: { type } }) => network === 'Base Goerli' && type === '0x2',
    )) {
      expectMutationsRefused(tx, (answer) => verifyTransaction(answer, { baseFeePerGas: '0x31' }), spellingsOf(tx))
    }
  })

  test('of any signed contents', { timeout: 60_000 }, () => {
    const seen = new Set<string>()
    assert(
      property(signedTransaction, ({ kind, tx }) => {
        seen.add(kind)
        expectMutationsRefused(tx, (answer) => verifyTransaction(answer, { hash: tx.hash }), spellingsOf(tx))
      }),
      { numRuns: 60 },
    )
    expect(seen).toEqual(new Set(kinds))
  })
})

describe('OP-stack deposits', () => {
  const { tx: deposit } = realTransactions().find(({ tx }) => tx.type === '0x7e')!

  test('their sender is covered by the hash, their nonce by nothing', () => {
    expect(verifyTransaction(deposit, { hash: deposit.hash })).toMatchObject({
      ok: true,
      level: 'proven',
      fields: {
        from: 'proven',
        sourceHash: 'proven',
        mint: 'proven',
        nonce: 'unverifiable',
        depositReceiptVersion: 'unverifiable',
        v: 'consistent',
      },
    })
  })

  test('nobody signs them', () => {
    expect(verifyTransaction({ ...deposit, r: '0x1' }, { hash: deposit.hash })).toEqual({
      ok: false,
      field: 'r',
      reason: 'r: expected none, as nobody signs a deposit, got "0x1"',
    })
    expect(() => transactionSender(deposit)).toThrow(/^type: nobody signs a deposit/)
    expect(() => signingHash(deposit)).toThrow(/^type: nobody signs a deposit/)
  })

  test('those of before Regolith, of the system, have a flag', () => {
    const system = realTransactions().find(({ tx }) => 'isSystemTx' in tx)!.tx
    expect(verifyTransaction({ ...system, isSystemTx: false }, { hash: system.hash })).toMatchObject({
      ok: false,
      field: 'hash',
    })
    expect(verifyTransaction({ ...system, isSystemTx: 'true' }, { hash: system.hash })).toMatchObject({
      field: 'isSystemTx',
    })
  })
})

describe('what nothing can be told of', () => {
  const own = unknownTransactions()[0]!.tx

  test('an unknown type is neither right nor wrong, and no member of it is told', () => {
    expect(verifyTransaction(own, { hash: own.hash })).toEqual({
      ok: undefined,
      reason: 'type: how transactions of type 0x6a are hashed is not known here',
      fields: { ...Object.fromEntries(Object.keys(own).map((name) => [name, 'unverifiable'])), hash: 'consistent' },
    })
  })

  test('nor is a legacy transaction that nobody signed', () => {
    expect(verifyTransaction({ ...own, type: '0x0' }, { hash: own.hash })).toMatchObject({ ok: undefined })
  })

  test.each([
    ['hash', { hash: `0x${'00'.repeat(32)}` }],
    ['blockHash', { blockHash: `0x${'00'.repeat(32)}` }],
    ['transactionIndex', { index: '0x1' }],
  ] as const)('but it must say the %s that was asked for', (field, expected) => {
    expect(verifyTransaction(own, expected)).toMatchObject({ ok: false, field })
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
    const free = new Set(['accessList', 'v', 'yParity', 'type', 'chainId', 'gasPrice', ...place])
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
