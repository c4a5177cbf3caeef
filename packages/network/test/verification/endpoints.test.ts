import {
  createContext,
  isStream,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import type { OpenEndpoint } from '../../src/endpoints/endpoints.ts'
import { verifyEndpoints } from '../../src/verification/verification.ts'
import { systemClock } from '@wayleave/jsonrpc-core'
import { testChain } from '../chain-node.ts'
import { call, rejectionOf, resultOf } from '../support.ts'
import { tx } from './transaction.ts'

const endpoint = (handler: RpcHandler, verify: OpenEndpoint['verify']): OpenEndpoint => ({
  name: 'a',
  handler,
  verify,
  renew() {},
  watchStale: () => () => {},
  carriesSubscriptions: false,
  close: async () => {},
})

/** A node that answers this to `eth_getTransactionByHash`, and its name to all else. */
const nodeOf =
  (transaction: object | null, name = 'other'): RpcHandler =>
  async ({ method }) => ({ result: rawJsonFromValue(method === 'eth_getTransactionByHash' ? transaction : name) })

const options = { clock: systemClock, maxBytes: 1_000, withheld: new WeakSet<RpcResponse>(), onAnswer: () => {} }

/** Above this size a transport streams. */
const parts = ['["', 'a'.repeat(2_000), '"]'].map((text) => new TextEncoder().encode(text))

const streaming: RpcHandler = async (_request, { acceptStream }) => ({
  result: {
    streaming: true,
    cancel() {
      expect(acceptStream).toBe(true)
    },
    async *[Symbol.asyncIterator]() {
      yield* parts
    },
  },
})

describe('the endpoints of a network', () => {
  it('are themselves where nothing is verified', () => {
    const off = endpoint(nodeOf(tx), 'off')
    expect(verifyEndpoints([off], options).endpoints[0]).toBe(off)
  })

  it.each(['consistent', 'proven'] as const)(
    'stream what is not verified, and hold what is, up to a cap (%s)',
    async (level) => {
      const [checked] = verifyEndpoints([endpoint(streaming, level)], options).endpoints
      const context = createContext({ timeoutMs: 30_000, acceptStream: true })
      const { result } = await checked!.handler(call('trace_block', ['0x1']), context)
      expect(isStream(result!)).toBe(true)
      const held = checked!.handler(call('eth_getBlockByHash', [tx.blockHash, true]), context)
      expect(await rejectionOf(held)).toMatchObject({ code: 'too_large' })
      context.release()
    },
  )
})

it.each(['eth_sendTransaction', 'eth_sendRawTransaction', 'eth_call'])(
  'a call that broke off is not sent a second time by verification: %s',
  async (method) => {
    let sent = 0
    const breaking: RpcHandler = async () => {
      sent++
      throw new RpcError('disconnected', 'the connection broke')
    }
    const [checked] = verifyEndpoints([endpoint(breaking, 'proven')], options).endpoints
    const context = createContext({ timeoutMs: 30_000 })
    expect(await rejectionOf(checked!.handler(call(method, ['0x1']), context))).toMatchObject({
      code: 'disconnected',
      delivery: 'unknown',
    })
    expect(sent).toBe(1)
    context.release()
  },
)

describe('the quorum on the latest block', () => {
  const chain = testChain(9)

  /** Three endpoints, a, b and c, whose heads are these; with the questions that they got. */
  function quorumOf(heads: readonly number[]) {
    const asked: string[] = []
    const endpoints = heads.map((head, i) => {
      const handler: RpcHandler = async ({ method, params }) => {
        const [name] = params!.value() as [string]
        asked.push(`${'abc'[i]} ${method} ${name}`)
        const number = name === 'latest' ? head : Number(name)
        const found = method === 'eth_getBlockByHash' ? blockOf(name) : chain.block(number)
        return { result: rawJsonFromValue(number <= head || method === 'eth_getBlockByHash' ? found : null) }
      }
      return { ...endpoint(handler, 'proven' as const), name: 'abc'[i]! }
    })
    return { asked, endpoints }
  }
  const blockOf = (hash: string) =>
    Array.from({ length: 10 }, (_, i) => chain.block(i)).find((block) => block.hash === hash)

  it.each([
    ['is asked of each endpoint', undefined, [8, 7, 8], ['a', 'b', 'c']],
    ['takes the heads that endpoints told already', [8, 7, 8], [8, 7, 8], []],
    ['asks those of which none is known', [8, undefined, undefined], [8, 7, 8], ['b', 'c']],
  ] as const)('%s', async (_what, known, heads, expected) => {
    const { asked, endpoints } = quorumOf(heads)
    const latestOf = known && ((name: string) => known['abc'.indexOf(name)])
    const [checked] = verifyEndpoints(endpoints, {
      ...options,
      maxBytes: 100_000,
      ...(latestOf && { latestOf }),
    }).endpoints
    const context = createContext({ timeoutMs: 30_000 })
    const answer = await checked!.handler(call('eth_getBlockByNumber', ['latest', false]), context)
    context.release()
    expect(resultOf(answer)).toMatchObject({ number: '0x8', hash: chain.block(8).hash })
    const votes = asked.filter((question) => question.endsWith(' latest')).map(([name]) => name)
    expect(votes).toEqual(expected)
    // The hash is asked of each in any case.
    expect(asked.filter((question) => question.endsWith('eth_getBlockByNumber 0x8'))).toHaveLength(3)
  })
})
