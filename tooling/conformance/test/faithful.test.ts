import type { RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGatewayBefore } from './support/gateway.ts'
import { openRawCaller, printRaw, rawIds } from './support/raw-caller.ts'
import { type RawCall, type RawNode, startRawNode } from './support/raw-node.ts'

/** Near the 1,000 levels that a request may have; envelope, params and a batch need a few of them. */
const levels = 990

const values: Readonly<Record<string, string>> = {
  'integers beyond 2^53':
    '[9007199254740993,-9007199254740993,18446744073709551615,123456789012345678901234567890123456789]',
  'numbers that no double holds': '[1e400,-1E+400,1e-400,0.1000000000000000000000000001,4.9406564584124654e-324]',
  'numbers in more than one way': '[-0,-0.0,0e0,1.0,1.50,1E2,1e+2,1e-7,100]',
  'doubled members': '{"a":1,"a":2,"b":{"c":[],"c":{}},"a":1}',
  'members that objects inherit': '{"__proto__":{"polluted":true},"constructor":null,"toString":1,"":0}',
  'members that an envelope has': '{"jsonrpc":"1.0","id":7,"result":null,"error":{"code":1},"method":"m","params":[]}',
  escapes: '"\\u0000\\/\\b\\f\\n\\r\\t\\"\\\\\\u00e9\\u2028"',
  'surrogates, in pairs and alone': '["\\ud83d\\ude00","\\uD83D\\uDE00","\\ud800","\\udc00x","\\ude00\\ud83d"]',
  'characters of two, three and four bytes': '["é","☃","😀","\u2028\u2029","\ufeff","\u007f"]',
  'brackets within texts': '["[[{{","]}","\\\\\\"]","\\"}],[{"]',
  whitespace: '{ "a" :\t[ 1 ,\r\n 2 ] , "b" : { } }',
  'what is short': '[null,true,false,"",[],{},0,[[]],{"":[]}]',
  'deep arrays': `${'['.repeat(levels)}${']'.repeat(levels)}`,
  'deep objects': `${'{"a":'.repeat(levels)}-0${'}'.repeat(levels)}`,
  'a long text': `"${'é\\u0000[\\ud83d'.repeat(10_000)}"`,
}

/** More than a gateway holds of a result before it lets it pass as a stream. */
const filler = `"${'{ é\\"]\\ud800'.repeat(30_000)}"`

/** A node that answers with what it was asked. */
function echo({ method, params }: RawCall): string {
  return method.startsWith('fail')
    ? `"error":{"code":3,"message":"\\u0000\\/ \\ud800","data":${params},"data2":-0,"__proto__":1e400}`
    : `"result":${params}`
}

let node: RawNode
const gateways: Record<string, RunningGateway> = {}

beforeAll(async () => {
  node = await startRawNode(echo)
  gateways['http'] = await startGatewayBefore([node.httpUrl])
  gateways['ws'] = await startGatewayBefore([node.wsUrl])
})

afterAll(async () => {
  for (const gateway of Object.values(gateways)) await gateway.close()
  await node[Symbol.asyncDispose]()
})

const ways = (['http', 'ws'] as const).flatMap((upstream) =>
  (['http', 'ws'] as const).flatMap((transport) =>
    [false, true].map((long) => ({ upstream, transport, long, size: long ? 'long' : 'short' })),
  ),
)

/** A read that is shared, an unknown method, and two that fail. */
const methods = ['eth_call', 'custom_echo', 'fail_custom', 'fail_again'] as const

describe.each(ways)(
  '$size values, asked over $transport of a node behind $upstream,',
  ({ upstream, transport, long }) => {
    const wrapped = (value: string): string => (long ? `[${value},${filler},${value}]` : `[${value}]`)
    const named = (value: string): string => `{"value":${wrapped(value)}}`

    it.each(Object.entries(values))('%s: cross as params, results and errors', async (_name, value) => {
      await using caller = await openRawCaller(gateways[upstream]!, transport)
      for (const [i, method] of methods.entries()) {
        const params = method === 'custom_echo' ? named(value) : wrapped(value)
        const id = rawIds[i]!
        const text = await caller.send(printRaw(id, method, params))
        expectSame(text, `{"jsonrpc":"2.0","id":${id},${echo({ method, params })}}`)
        expectSame(node.received.at(-1)!.params!, params)
      }
    })

    it('cross side by side in a batch', async () => {
      await using caller = await openRawCaller(gateways[upstream]!, transport)
      // A batch of long ones would pass what a body may have.
      const chosen = Object.values(values).slice(0, long ? 7 : rawIds.length)
      for (const method of methods) {
        const calls = chosen.map((value, i) => printRaw(rawIds[i]!, method, wrapped(value)))
        const text = await caller.send(`[${calls.join(',')}]`)
        const answers = chosen.map((value, i) => {
          const params = wrapped(value)
          return `{"jsonrpc":"2.0","id":${rawIds[i]},${echo({ method, params })}}`
        })
        expectSame(text, `[${answers.join(',')}]`)
      }
    })
  },
)

/** Where two texts part; a diff of long ones takes minutes. */
function expectSame(got: string, expected: string): void {
  if (got === expected) return
  let at = 0
  while (got[at] === expected[at]) at++
  const around = (text: string): string => `${at}: ${text.slice(Math.max(0, at - 60), at + 120)}`
  expect(around(got)).toBe(around(expected))
}
