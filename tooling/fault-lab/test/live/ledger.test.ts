import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLedger, type Ledger } from '../../live/ledger.ts'
import { createGate } from '../../live/nodes/gate.ts'

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }

/** The answers of the reference, by method and first parameter. */
let truth: Record<string, unknown>
let wrongs: string[]
let ledger: Ledger
let url: string
const answer = ({ id, method, params }: Call): object => ({
  id,
  result: truth[`${method} ${String(params[0])}`] ?? null,
})
const server = createServer(async (request, response) => {
  const body = JSON.parse(await text(request)) as Call | readonly Call[]
  response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body as Call)))
})

beforeEach(async () => {
  truth = {}
  wrongs = []
  ledger = createLedger((client, sentence) => wrongs.push(`${client}: ${sentence}`))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

it('finds a block and a receipt that were told otherwise than they are', async () => {
  truth = { 'eth_getBlockByNumber 0x1': { hash: '0xa' }, 'eth_getTransactionReceipt 0xt': { blockHash: '0xa' } }
  ledger.block('one', 1, '0xa')
  ledger.block('one', 2, '0xb')
  ledger.mined('two', '0xt', 1, '0xc')
  await ledger.check(url, 1)
  expect(wrongs).toEqual(['two: eth_getTransactionReceipt 0xt was told as 0xc, and is 0xa'])
  await ledger.check(url, 2)
  expect(wrongs.slice(1)).toEqual(['one: eth_getBlockByNumber 0x2 false was told as 0xb, and is undefined'])
  expect(await ledger.settle(url, 0)).toMatchObject({ compared: 3 })
})

it('finds two answers that contradict each other at once', () => {
  ledger.balance('one', '0xd', 3, '0x1')
  ledger.balance('two', '0xd', 3, '0x1')
  expect(wrongs).toEqual([])
  ledger.balance('two', '0xd', 3, '0x2')
  expect(wrongs).toEqual(['two: 0xd at 3 was told as 0x1, then as 0x2'])
})

it('finds transactions that were accepted and lost, or refused and mined', async () => {
  truth = {
    'eth_getTransactionReceipt 0x1': { blockHash: '0xa' },
    'eth_getTransactionReceipt 0x3': { blockHash: '0xa' },
    'eth_getTransactionReceipt 0x4': { blockHash: '0xa' },
    'eth_getTransactionCount 0xd': '0x5',
  }
  ledger.sent('one', '0x1')
  ledger.sent('one', '0x2')
  ledger.sent('one', '0x3', 'insufficient funds')
  ledger.sent('one', '0x4', 'the request timed out')
  ledger.sentNonce('two', '0xd', 5)
  ledger.sentNonce('two', '0xd', 4)
  const settlement = await ledger.settle(url, 0)
  expect(settlement).toEqual({ compared: 0, unknown: 0, accepted: 2, lost: 1, refused: 2, refusedAndMined: 2 })
  expect(wrongs).toEqual([
    'two: its transaction 5 was accepted, and 5 is the next of its account',
    'one: 0x2 was accepted, and is in no block',
    'one: 0x3 was refused (insufficient funds), and is in a block',
  ])
})

it('closes a gate only when those who passed are through, and lets the next ones wait', async () => {
  const gate = createGate(60_000)
  const order: string[] = []
  const first = Promise.withResolvers<void>()
  const passing = gate.pass(() => first.promise.then(() => order.push('first')))
  const closed = gate.close(async () => order.push('closed'))
  const late = gate.pass(async () => order.push('late'))
  first.resolve()
  await Promise.all([passing, closed, late])
  expect(order).toEqual(['first', 'closed', 'late'])
})
