import type { Transaction } from '@wayleave/evm-types'
import { describe, expect, test } from 'vitest'
import {
  authorizationAuthority,
  transactionHash,
  transactionsRoot,
  receiptsRoot,
  logsBloom,
  verifyReceipts,
  verifyTransaction,
} from '../src/index.ts'
import { realTransactions } from './vectors.ts'

const all = realTransactions().map(({ tx }) => tx)
const deposit = all.find(({ type }) => type === '0x7e')!
const delegation = all.find(({ type }) => type === '0x4')!

/** A deposit that creates a contract, hashed anew; `to` is null. */
function creation(): Transaction {
  const made = { ...deposit, to: null, from: '0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0' } as const
  return { ...made, hash: transactionHash(made) }
}

function without<T extends object>(value: T, name: keyof T): T {
  const { [name]: _, ...rest } = value
  return rest as T
}

describe('a deposit that creates a contract', () => {
  test('may leave out `to`, as op-alloy does', () => {
    const bare = without(creation(), 'to')
    expect(transactionHash(bare)).toBe(creation().hash)
    expect(verifyTransaction(bare, { hash: bare.hash })).toMatchObject({ ok: true, level: 'proven' })
  })

  test('has a receipt whose contract is compared', () => {
    const tx = without(creation(), 'to')
    const receipt = {
      type: '0x7e',
      status: '0x1',
      cumulativeGasUsed: '0x5208',
      gasUsed: '0x5208',
      logs: [],
      logsBloom: logsBloom([]),
      depositNonce: '0x0',
      depositReceiptVersion: '0x1',
      from: tx.from,
      to: null,
      contractAddress: '0x0000000000000000000000000000000000000bad',
      transactionHash: tx.hash,
      transactionIndex: '0x0',
      blockHash: tx.blockHash!,
      blockNumber: tx.blockNumber!,
    } as const
    const root = { transactionsRoot: transactionsRoot([tx]), receiptsRoot: receiptsRoot([receipt]) }
    const block = { ...root, hash: tx.blockHash, number: tx.blockNumber, transactions: [tx] } as never
    expect(verifyReceipts([receipt], { block })).toMatchObject({ ok: false, field: '0.contractAddress' })
    const sound = { ...receipt, contractAddress: '0xcd234a471b72ba2f1ccf0a70fcaba648a5eecd8d' } as const
    expect(verifyReceipts([sound], { block })).toMatchObject({ ok: true, level: 'proven' })
    expect(verifyReceipts([without(sound as never, 'to' as never)], { block })).toMatchObject({ ok: true })
  })

  test('of another type may not', () => {
    const legacy = all.find(({ type, to }) => type === '0x2' && to !== null)!
    expect(verifyTransaction(without(legacy, 'to'))).toMatchObject({ ok: false, field: 'to' })
  })
})

describe('an authorization', () => {
  const byV = {
    ...delegation,
    authorizationList: delegation.authorizationList!.map(({ yParity, ...rest }) => ({ ...rest, v: yParity })),
  } as unknown as Transaction

  test('may give `v` for `yParity`', () => {
    const verdict = verifyTransaction(byV, { hash: delegation.hash })
    expect(verdict).toMatchObject({ ok: true, level: 'proven' })
    expect(verdict.ok && verdict.fields['authorizationList.*.v']).toBe('proven')
    expect(authorizationAuthority(byV.authorizationList![0]!)).toBe(
      authorizationAuthority(delegation.authorizationList![0]!),
    )
  })

  test('is read by `yParity` where it has both', () => {
    const authorizationList = delegation.authorizationList!.map((one) => ({ ...one, v: '0x1b' }))
    const verdict = verifyTransaction({ ...delegation, authorizationList }, { hash: delegation.hash })
    expect(verdict.ok && verdict.fields['authorizationList.*.v']).toBe('unverifiable')
  })

  test('with another `v` hashes otherwise', () => {
    const authorizationList = byV.authorizationList!.map((one) => ({ ...one, v: '0x7' }))
    const other = { ...delegation, authorizationList } as unknown as Transaction
    expect(verifyTransaction(other, { hash: delegation.hash })).toMatchObject({ ok: false, field: 'hash' })
  })
})
