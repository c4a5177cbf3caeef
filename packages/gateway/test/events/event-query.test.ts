import { describe, expect, it } from 'vitest'
import { printEventId, readEventId } from '../../src/events/event-id.ts'
import { readEventQuery, subscribeParams } from '../../src/events/event-query.ts'

const hash = `0x${'ab'.repeat(32)}`
const other = `0x${'cd'.repeat(32)}`
const paramsOf = (query: string, lastEventId?: string): unknown => {
  const read = readEventQuery(`/v3/key/events?${query}`, lastEventId)
  return 'problem' in read ? read.problem : subscribeParams(read)
}

describe('a query for events', () => {
  it.each([
    ['type=newHeads', ['newHeads']],
    ['type=newHeads&fromBlock=16', ['newHeads', { fromBlock: '0x10' }]],
    ['type=newHeads&fromBlock=0x10', ['newHeads', { fromBlock: '0x10' }]],
    [`type=newHeads&fromHash=${hash}`, ['newHeads', { fromHash: hash }]],
    ['type=logs', ['logs', {}]],
    ['type=logs&address=0x1', ['logs', { address: '0x1' }]],
    ['type=logs&address=0x1&address=0x2', ['logs', { address: ['0x1', '0x2'] }]],
    [
      'type=logs&topic1=0x1&topic1=0x2&topic0=0x3&x-wayleave-marks=inline',
      ['logs', { topics: ['0x3', ['0x1', '0x2']] }],
    ],
    ['type=logs&topic2=0x1&fromBlock=0', ['logs', { topics: [null, null, '0x1'], fromBlock: '0x0' }]],
    [`type=logs&lastEventId=${hash}:7@9`, ['logs', { fromHash: hash }]],
  ])('%s is a subscription', (query, params) => {
    expect(paramsOf(query)).toEqual(params)
  })

  it('goes on from the header where it was connected before, whatever its query says', () => {
    for (const query of ['fromBlock=1', `fromHash=${other}`, `lastEventId=${other}:1`]) {
      expect(paramsOf(`type=newHeads&${query}`, hash)).toEqual(['newHeads', { fromHash: hash }])
    }
    // A browser that was told no id sends an empty one.
    expect(paramsOf('type=newHeads&fromBlock=1', '')).toEqual(['newHeads', { fromBlock: '0x1' }])
  })

  it.each([
    ['', 'type: expected newHeads or logs'],
    ['type=newPendingTransactions', 'type: expected newHeads or logs'],
    ['type=logs&type=logs', 'type: expected one, got several'],
    ['type=logs&adress=0x1', '"adress": expected one of type, fromBlock, fromHash, lastEventId, address, topic0'],
    [
      'type=newHeads&address=0x1',
      '"address": expected one of type, fromBlock, fromHash, lastEventId with type=newHeads',
    ],
    [`type=logs&fromBlock=1&fromHash=${hash}`, 'expected either fromBlock or fromHash'],
    ['type=logs&fromBlock=latest', 'fromBlock: expected a height, decimal or hex'],
    ['type=logs&fromHash=0x1', 'fromHash: expected the hash of the last block that was told'],
    ['type=logs&lastEventId=7', 'Last-Event-ID: expected the id of an event'],
  ])('%j is refused', (query, problem) => {
    expect(paramsOf(query)).toContain(problem)
  })
})

describe('an id', () => {
  it.each([hash, `${hash}:0`, `${hash}:12`, `${hash}@100`, `${hash}:3@100`])('%s is read as it was printed', (id) => {
    expect(printEventId(readEventId(id)!)).toBe(id)
  })

  it.each(['', '0x12', `${hash}:`, `${hash}:-1`, `${hash}@`, `${hash} `, `${hash}:1:2`, `x${hash}`])(
    '%j is none',
    (id) => expect(readEventId(id)).toBeUndefined(),
  )
})
