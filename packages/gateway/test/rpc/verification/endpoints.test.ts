import { createContext, isStream, type RpcHandler, type RpcResponse } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import type { OpenEndpoint } from '../../../src/rpc/endpoints.ts'
import { verifyEndpoints } from '../../../src/rpc/verification.ts'
import { systemClock } from '@wayleave/jsonrpc-core'
import { call, rejectionOf } from '../../support.ts'
import { nodeOf, tx } from './support.ts'

const endpoint = (handler: RpcHandler, verify: OpenEndpoint['verify']): OpenEndpoint => ({
  name: 'a',
  handler,
  verify,
  carriesSubscriptions: false,
  close: async () => {},
})

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
