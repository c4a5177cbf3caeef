import type { AccountProof, Hex } from '@wayleave/evm-types'
import { anything, assert, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ExpectedAccount, verifyAccountProof } from '../src/index.ts'
import { createMPT, createMerkleProof } from '@ethereumjs/mpt'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeRlp } from '../src/rlp.ts'
import { chainBlocks, recordedAnswers } from './chain.ts'
import { address, bytes, emptyCode, emptyTrie, hex, madeState, stranger } from './made-state.ts'
import { expectMutationsRefused } from './mutations.ts'

const { stateRoot } = chainBlocks().at(-1)!.block
const recorded = recordedAnswers('eth_getProof', 'recorded-state.json').map(({ params, result }) => ({
  answer: result as AccountProof,
  asked: { stateRoot, address: params[0] as Hex, positions: params[1] as Hex[] } satisfies ExpectedAccount,
}))
const withStorage = recorded.find(({ answer }) => answer.storageProof.length > 0)!
const stored = withStorage.answer

const zero: Hex = `0x${'00'.repeat(32)}`

const made = await madeState()

describe('a genuine proof', () => {
  test.each(recorded.map((one, i) => ({ ...one, i })))(
    'recorded answer $i is proven, all of it',
    ({ answer, asked }) => {
      const verdict = verifyAccountProof(answer, asked)
      expect(verdict).toMatchObject({ ok: true, level: 'proven' })
      const { fields } = verdict as { fields: Record<string, string> }
      expect(new Set(Object.values(fields))).toEqual(new Set(['proven']))
      expect(Object.keys(fields)).toEqual(expect.arrayContaining(Object.keys(answer)))
    },
  )

  test('of values and of positions that hold nothing', async () => {
    const positions: Hex[] = ['0x1', '0x7f', `0x${'28'.padStart(64, '0')}`, '0x29', '0x0', `0x${'ff'.repeat(32)}`]
    const answer = await made.prove(address, positions)
    expect(answer.storageProof.map(({ value }) => value)).toEqual(['0x1', '0x0', '0x28', '0x0', '0x0', '0x0'])
    expect(verifyAccountProof(answer, { stateRoot: made.root, address, positions })).toMatchObject({ level: 'proven' })
  })

  test('of an account that is not there, in either spelling of nothing', async () => {
    const answer = await made.prove(stranger, ['0x1'])
    const expected = { stateRoot: made.root, address: stranger, positions: ['0x1'] as Hex[] }
    expect(verifyAccountProof(answer, expected)).toMatchObject({ level: 'proven' })
    const zeros = { ...answer, storageHash: zero, codeHash: zero }
    expect(verifyAccountProof(zeros, expected)).toMatchObject({ level: 'proven' })
    for (const change of [{ nonce: '0x1' }, { balance: '0x1' }, { storageHash: made.root }, { codeHash: made.root }]) {
      const [field] = Object.keys(change)
      expect(verifyAccountProof({ ...answer, ...change }, expected)).toMatchObject({ ok: false, field })
    }
    const slot = { key: '0x1', value: '0x1', proof: [] }
    expect(verifyAccountProof({ ...answer, storageProof: [slot] }, expected).ok).toBe(false)
  })

  test('of an empty state', () => {
    const nothing = { nonce: '0x0', balance: '0x0', storageHash: zero, codeHash: zero, storageProof: [] }
    const answer = { address, accountProof: [], ...nothing }
    expect(verifyAccountProof(answer, { stateRoot: emptyTrie, address })).toMatchObject({ ok: true, level: 'proven' })
    expect(verifyAccountProof(answer, { stateRoot: made.root, address })).toMatchObject({ field: 'accountProof[0]' })
  })

  test('without a root agrees with itself, and its nodes are not known', () => {
    const verdict = verifyAccountProof(stored, { address: withStorage.asked.address })
    expect(verdict).toMatchObject({ ok: true, level: 'consistent' })
    expect(verdict).toMatchObject({
      fields: {
        balance: 'consistent',
        accountProof: 'unverifiable',
        address: 'consistent',
        storageProof: 'unverifiable',
      },
    })
  })

  test('tells nothing of members that are named as what every object has', () => {
    const verdict = verifyAccountProof({ ...stored, constructor: '0x1', toString: '0x2' }, withStorage.asked)
    expect(verdict).toMatchObject({ ok: true, fields: { constructor: 'unverifiable', toString: 'unverifiable' } })
  })

  test('may hold members that nobody knows', () => {
    const verdict = verifyAccountProof({ ...stored, extra: 1 }, withStorage.asked)
    expect(verdict).toMatchObject({ ok: true, fields: { extra: 'unverifiable', balance: 'proven' } })
  })
})

describe('a false proof', () => {
  const padded = ['key', 'value']

  test('every change of a recorded answer is refused', () => {
    for (const { answer, asked } of recorded) {
      const count = expectMutationsRefused(answer, (changed) => verifyAccountProof(changed, asked), { padded })
      expect(count).toBeGreaterThan(100)
    }
  })

  test('every change is refused that contradicts the rest, where no root is known', () => {
    const { stateRoot: _, ...asked } = withStorage.asked
    expectMutationsRefused(stored, (changed) => verifyAccountProof(changed, asked), { padded })
  })

  test('every change is refused of an account with storage and of one that is not there', async () => {
    for (const of of [address, stranger]) {
      const positions: Hex[] = ['0x1', '0x7f']
      const answer = await made.prove(of, positions)
      const expected = { stateRoot: made.root, address: of, positions }
      expectMutationsRefused(answer, (changed) => verifyAccountProof(changed, expected), { padded })
    }
  })

  test('of another root, account or position', async () => {
    const answer = await made.prove(address, ['0x1'])
    const expected = { stateRoot: made.root, address, positions: ['0x1'] as Hex[] }
    expect(verifyAccountProof(answer, { ...expected, stateRoot: zero })).toMatchObject({ field: 'accountProof[0]' })
    expect(verifyAccountProof(answer, { ...expected, address: stranger })).toMatchObject({ field: 'address' })
    expect(verifyAccountProof(answer, { ...expected, positions: ['0x2'] })).toMatchObject({
      field: 'storageProof[0].key',
    })
    expect(verifyAccountProof(answer, { ...expected, positions: [] })).toMatchObject({ field: 'storageProof' })
  })

  test('that proves what is no account, or no number', async () => {
    const accounts = await createMPT()
    const key = keccak_256(bytes(address))
    const text = { nonce: '0x5', balance: '0x100', storageHash: emptyTrie, codeHash: emptyCode, storageProof: [] }
    for (const value of [
      encodeRlp(new Uint8Array(40)),
      encodeRlp([Uint8Array.of(5), Uint8Array.of(1, 0), bytes(emptyTrie)]),
      encodeRlp([Uint8Array.of(0, 5), Uint8Array.of(1, 0), bytes(emptyTrie), bytes(emptyCode)]),
      encodeRlp([[Uint8Array.of(5)], Uint8Array.of(1, 0), bytes(emptyTrie), bytes(emptyCode)]),
      encodeRlp([Uint8Array.of(5), new Uint8Array(33).fill(1), bytes(emptyTrie), bytes(emptyCode)]),
    ]) {
      await accounts.put(key, value)
      const accountProof = (await createMerkleProof(accounts, key)).map(hex)
      const verdict = verifyAccountProof(
        { address, accountProof, ...text },
        { stateRoot: hex(accounts.root()), address },
      )
      expect(verdict.ok).toBe(false)
    }
  })

  test('of a hundred thousand nodes, or one of ten megabytes, is refused in bounded time', async () => {
    const answer = await made.prove(address, ['0x1'])
    const expected = { stateRoot: made.root, address, positions: ['0x1'] as Hex[] }
    const many = Array.from({ length: 100_000 }, () => answer.accountProof[0]!)
    expect(verifyAccountProof({ ...answer, accountProof: many }, expected).ok).toBe(false)
    const big: Hex = `0x${'00'.repeat(10_000_000)}`
    expect(verifyAccountProof({ ...answer, accountProof: [big] }, expected)).toMatchObject({ field: 'accountProof[0]' })
    expect(verifyAccountProof({ ...answer, accountProof: [big] })).toMatchObject({ ok: false })
    const slot = { ...answer.storageProof[0]!, proof: [big] }
    expect(verifyAccountProof({ ...answer, storageProof: [slot] }, expected)).toMatchObject({
      field: 'storageProof[0].proof[0]',
    })
  })

  test('whatever comes gets a verdict', () => {
    assert(
      property(anything(), (value) => {
        expect(verifyAccountProof(value, { address }).ok).toBe(false)
      }),
    )
  })
})
