import type { Verification } from '@wayleave/evm-verify'
import { describe, expect, it } from 'vitest'
import { createBallots } from '../../src/verification/ballots.ts'
import { call } from '../support.ts'
import { forged, tx } from './transaction.ts'

const proven = (anchor: Verification['anchor'], answer: object): Verification => ({
  level: 'proven',
  anchor,
  fields: Object.fromEntries(Object.keys(answer).map((name) => [name, 'proven' as const])),
})

describe('answers that nothing proves', () => {
  it('count once enough endpoints have given them, in whatever form', () => {
    const ballots = createBallots(2)
    const request = call('eth_getTransactionByHash', [tx.hash])
    expect(ballots.add(request, 'a', forged)).toBe(false)
    expect(ballots.add(request, 'a', forged)).toBe(false)
    expect(ballots.add(request, 'b', tx)).toBe(false)
    const { hash, ...rest } = tx
    const otherForm = { ...rest, hash: `0x${hash.slice(2).toUpperCase()}`, blobVersionedHashes: null }
    expect(ballots.add(request, 'c', otherForm)).toBe(true)
    expect(ballots.add(call('eth_getTransactionByHash', [tx.hash]), 'b', tx)).toBe(false)
  })

  it('count once for a node, however many endpoints reach it', () => {
    const ballots = createBallots(2, (endpoint) => endpoint[0]!)
    const request = call('eth_getTransactionByHash', [tx.hash])
    expect(ballots.add(request, 'a1', tx)).toBe(false)
    expect(ballots.add(request, 'a2', tx)).toBe(false)
    expect(ballots.add(request, 'b', tx)).toBe(true)
  })

  it('agree as null alone, not by what they leave out', () => {
    const ballots = createBallots(2)
    const request = call('eth_getTransactionByHash', [tx.hash])
    ballots.add(request, 'a', {})
    expect(ballots.add(request, 'b', tx)).toBe(false)
    expect(ballots.add(request, 'c', null)).toBe(false)
    expect(ballots.add(request, 'd', null)).toBe(true)
  })
})

describe('a proven answer', () => {
  it('refutes others, by the member that is false', () => {
    const ballots = createBallots(2)
    const request = call('eth_getTransactionByHash', [tx.hash])
    ballots.add(request, 'liar', { ...tx, type: '0x55' })
    ballots.add(request, 'poor', { ...tx, chainId: '0x1' })
    ballots.add(request, 'behind', null)
    const refuted = ballots.refutedBy(request, tx, proven('quorum', tx))
    expect(refuted.map(([endpoint, { field }]) => [endpoint, field])).toEqual([['liar', 'type']])
  })

  it('refutes none that may follow another fork', () => {
    const ballots = createBallots(2)
    const elsewhere = `0x${'56'.repeat(32)}`
    const request = call('eth_getTransactionByHash', [tx.hash])
    ballots.add(request, 'forked', { ...tx, blockHash: elsewhere, transactionIndex: '0x7' })
    expect(ballots.refutedBy(request, tx, proven('quorum', tx))).toEqual([])
    const latest = call('eth_getBalance', [tx.from, 'latest'])
    ballots.add(latest, 'behind', '0x5')
    const balance: Verification = { level: 'proven', anchor: 'quorum', fields: { '': 'proven' } }
    expect(ballots.refutedBy(latest, '0x6', balance)).toEqual([])
    expect(ballots.refutedBy(latest, '0x6', { ...balance, anchor: 'question' })).toHaveLength(1)
  })
})
