import type { RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGatewayBefore } from './support/gateway.ts'
import { openRawCaller, printRaw, rawIds } from './support/raw-caller.ts'
import { type RawCall, type RawNode, startRawNode } from './support/raw-node.ts'
import { type Exchange, exchangesOf } from './support/vectors.ts'

const recorded = exchangesOf('execution-apis-exchanges.json.gz')
const derived = exchangesOf('derived-uncles.json.gz')
const exchanges = [...recorded, ...derived]

/** The chain that was recorded. */
const chainId = 0xc72dd9d5e883e

const keyOf = ({ method, params }: Pick<Exchange, 'method' | 'params'>): string => `${method} ${params ?? ''}`
const outcomes = new Map(exchanges.map((exchange) => [keyOf(exchange), exchange.outcome]))

/** What a question becomes on its way: the specification's rules rewrite nothing else that was recorded. */
function asSent({ method, params }: Pick<Exchange, 'method' | 'params'>): RawCall {
  const [address, position, block] = method === 'eth_getStorageAt' ? (JSON.parse(params!) as readonly string[]) : []
  // The block that is missing means `latest`.
  if (address === undefined || block !== undefined) return { method, params }
  return { method, params: `["${address}","${position}","latest"]` }
}

/** What the gateway asks by itself, to know how much gas a call may have; no recorded call asks it. */
const gasLimitQuestion = 'eth_getBlockByNumber ["latest",false]'
const isAsked = (call: RawCall): boolean => keyOf(call) !== gasLimitQuestion
/** A node is asked for its chain again after a connection to it broke, as a busy machine makes some. */
const chainQuestion = 'eth_chainId []'

let node: RawNode
const gateways: Record<string, RunningGateway> = {}

beforeAll(async () => {
  outcomes.set(gasLimitQuestion, outcomes.get('eth_getBlockByNumber ["latest",true]')!)
  node = await startRawNode((call) => outcomes.get(keyOf(call)) ?? unknownTo(call.method))
  for (const [name, url] of [
    ['http', node.httpUrl],
    ['ws', node.wsUrl],
  ] as const) {
    const net = { kind: 'evm', chainId, upstreams: [url] } as const
    gateways[name] = await startGatewayBefore([], { networks: { net } })
  }
})

afterAll(async () => {
  for (const gateway of Object.values(gateways)) await gateway.close()
  await node[Symbol.asyncDispose]()
})

function unknownTo(method: string): string {
  return `"error":{"code":-32601,"message":"nobody recorded this ${method}"}`
}

const ways = (['http', 'ws'] as const).flatMap((upstream) =>
  (['http', 'ws'] as const).map((transport) => ({ upstream, transport })),
)

/** Chunks of as many calls as there are ids. */
const batches = Array.from({ length: Math.ceil(exchanges.length / rawIds.length) }, (_, i) =>
  exchanges.slice(i * rawIds.length, (i + 1) * rawIds.length),
)

const answerTo = (id: string, { outcome }: Exchange): string => `{"jsonrpc":"2.0","id":${id},${outcome}}`

describe('the recorded exchanges', () => {
  it('are as many as their README says, and no call has two answers', () => {
    const cases = (list: readonly Exchange[]): number => new Set(list.map(({ name }) => name)).size
    expect([recorded.length, cases(recorded), derived.length]).toEqual([145, 141, 23])
    expect(exchanges.filter((exchange) => outcomes.get(keyOf(exchange)) !== exchange.outcome)).toEqual([])
    expect(recorded.some(({ outcome }) => outcome.startsWith('"error":'))).toBe(true)
    expect(new Set(rawIds).size).toBe(17)
  })
})

describe.each(ways)(
  'recorded answers, asked over $transport of a node behind $upstream,',
  ({ upstream, transport }) => {
    it('cross one by one with every byte, and so do the questions', async () => {
      await using caller = await openRawCaller(gateways[upstream]!, transport)
      const before = node.received.length
      const faults: string[] = []
      for (const [i, exchange] of exchanges.entries()) {
        const id = rawIds[i % rawIds.length]!
        const text = await caller.send(printRaw(id, exchange.method, exchange.params))
        if (text !== answerTo(id, exchange)) faults.push(`${exchange.name}: ${text.slice(0, 300)}`)
      }
      expect(faults).toEqual([])
      expect(node.received.slice(before).filter(isAsked)).toEqual(exchanges.map(asSent))
    })

    it('cross in batches of 17 in their order, under ids of every kind', async () => {
      await using caller = await openRawCaller(gateways[upstream]!, transport)
      const faults: string[] = []
      for (const batch of batches) {
        const before = node.received.length
        const calls = batch.map(({ method, params }, i) => printRaw(rawIds[i]!, method, params))
        const text = await caller.send(`[${calls.join(',')}]`)
        const expected = `[${batch.map((exchange, i) => answerTo(rawIds[i]!, exchange)).join(',')}]`
        if (text !== expected) faults.push(`${batch[0]!.name} and 16 more: ${text.slice(0, 300)}`)
        // Reads that are the same share a question; nothing else is asked than what was.
        const asked = node.received.slice(before).filter(isAsked)
        const expectedKeys = new Set(batch.map((exchange) => keyOf(asSent(exchange))))
        const isExtra = (key: string): boolean => key === chainQuestion && !expectedKeys.has(key)
        expect(new Set(asked.map(keyOf).filter((key) => !isExtra(key)))).toEqual(expectedKeys)
      }
      expect(faults).toEqual([])
    })
  },
)

describe.each(ways)(
  'the same answers, asked over $transport of a node behind $upstream,',
  ({ upstream, transport }) => {
    const receipts = (block: string): Exchange =>
      recorded.find((exchange) => keyOf(exchange) === `eth_getBlockReceipts [${block}]`)!

    it.each([
      { asked: '[1]', sent: '"0x1"' },
      { asked: '["1"]', sent: '"0x1"' },
      { asked: '[55]', sent: '"0x37"' },
      { asked: '["pending"]', sent: '"latest"' },
      { asked: '["latest"]', sent: '"latest"' },
    ])('eth_getBlockReceipts $asked has the answer of $sent', async ({ asked, sent }) => {
      await using caller = await openRawCaller(gateways[upstream]!, transport)
      const text = await caller.send(printRaw('1.50', 'eth_getBlockReceipts', asked))
      expect(text).toBe(answerTo('1.50', receipts(sent)))
      expect(JSON.parse(node.received.at(-1)!.params!)).toEqual([JSON.parse(sent)])
    })
  },
)
