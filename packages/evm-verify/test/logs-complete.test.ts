import type { Log, LogSubscriptionFilter, Receipt } from '@wayleave/evm-types'
import { array, assert, constantFrom, integer, option, property, record } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logsBloom, logsOf, matchesFilter, mayHoldLogs } from '../src/index.ts'
import { chainBlocks, recordedAnswers } from './chain.ts'

const recorded = recordedAnswers('eth_getLogs', 'recorded-state.json')
const word = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, '0')}`
const account = (n: number): `0x${string}` => `0x${n.toString(16).padStart(40, '0')}`

const log = (address: number, ...topics: number[]): Log => ({
  address: account(address),
  topics: topics.map(word),
  data: '0x',
  blockNumber: '0x1',
  transactionHash: word(9),
  transactionIndex: '0x0',
  blockHash: word(8),
  logIndex: '0x0',
})

describe('matchesFilter', () => {
  test.each([
    [{}, true],
    [{ address: account(1) }, true],
    [{ address: account(2) }, false],
    [{ address: [account(2), account(1)] }, true],
    [{ address: [] }, true],
    [{ topics: [] }, true],
    [{ topics: [word(0xa)] }, true],
    [{ topics: [word(0xb)] }, false],
    [{ topics: [null, word(0xb)] }, true],
    [{ topics: [[word(1), word(0xa)], [word(0xb)]] }, true],
    [{ topics: [[], word(0xb)] }, true],
    [{ topics: [word(0xa), word(0xb), word(0xc)] }, false],
    [{ topics: [word(0xa), word(0xb), null, []] }, true],
    [{ address: account(1), topics: [word(0xb)] }, false],
  ] as readonly (readonly [LogSubscriptionFilter, boolean])[])('%j: %s', (filter, expected) => {
    expect(matchesFilter(log(1, 0xa, 0xb), filter)).toBe(expected)
  })

  test('heeds no case of digits', () => {
    const address = account(0xab).replace('ab', 'AB') as `0x${string}`
    expect(matchesFilter(log(0xab), { address })).toBe(true)
    expect(matchesFilter({ ...log(1), address }, { address: account(0xab) })).toBe(true)
  })

  test('is true of each log that a real node answered', () => {
    const answered = recorded.flatMap(({ params, result }) =>
      ((result ?? []) as Log[]).map((one) => matchesFilter(one, params[0] as LogSubscriptionFilter)),
    )
    expect(answered.length).toBeGreaterThan(4)
    expect(answered).not.toContain(false)
  })
})

test('logsOf takes from the receipts, in their order, what the filter names', () => {
  const receipts = [{ logs: [log(1), log(2)] }, { logs: [] }, { logs: [log(1, 5)] }] as Pick<Receipt, 'logs'>[]
  expect(logsOf(receipts, { address: account(1) })).toEqual([log(1), log(1, 5)])
  expect(logsOf(receipts, {})).toHaveLength(3)
  expect(logsOf([], {})).toEqual([])
})

describe('mayHoldLogs', () => {
  const blooms = new Map(chainBlocks().map(({ block }) => [block.number, block.logsBloom!]))

  test('is true of each block of which a real node answered logs', () => {
    for (const { params, result } of recorded) {
      for (const { blockNumber } of (result ?? []) as Log[]) {
        expect(mayHoldLogs(blooms.get(blockNumber!)!, params[0] as LogSubscriptionFilter)).toBe(true)
      }
    }
  })

  test('is false of an empty bloom, though anything will do', () => {
    const empty = `0x${'00'.repeat(256)}` as const
    expect(mayHoldLogs(empty, { address: account(1) })).toBe(false)
    expect(mayHoldLogs(empty, { topics: [null, word(1)] })).toBe(false)
    expect(mayHoldLogs(empty, { topics: [null, []], address: [] })).toBe(false)
    expect(mayHoldLogs(logsBloom([log(1)]), { topics: [null, []], address: [] })).toBe(true)
  })

  test('never says no where a log matches, and says no of most others', () => {
    const topics = array(integer({ min: 0, max: 5 }), { maxLength: 4 })
    const logs = array(record({ address: integer({ min: 0, max: 5 }), topics }), { maxLength: 4 })
    const wanted = array(option(constantFrom(0, 1, 2, 3, 4, 5)), { maxLength: 4 })
    let noes = 0
    assert(
      property(logs, wanted, option(integer({ min: 0, max: 6 })), (list, positions, address) => {
        const made = list.map((one) => log(one.address, ...one.topics))
        const filter = {
          topics: positions.map((n) => (n === null ? null : word(n))),
          ...(address === null ? {} : { address: account(address) }),
        }
        const may = mayHoldLogs(logsBloom(made), filter)
        if (made.some((one) => matchesFilter(one, filter))) expect(may).toBe(true)
        if (!may) noes++
      }),
      { numRuns: 1_000 },
    )
    expect(noes).toBeGreaterThan(100)
  })
})
