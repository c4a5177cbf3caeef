import { createContext, RpcError, type RpcHandler, type RpcSink, rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { cleanRejections } from '../src/clean-errors.ts'
import { redactionOf } from '../src/redaction.ts'
import { apiKey } from './helpers.ts'

describe('a subscription', () => {
  it('shows no secret in a gap or at its end, and passes all else on', async () => {
    const reported: unknown[] = []
    const result = rawJsonFromValue(apiKey)
    const sink: RpcSink = {
      event: (...args) => reported.push(args) < 0,
      drained: async () => {},
      gap: (gap) => reported.push(gap),
      end: (why) => reported.push(why?.message),
      reached: (at) => reported.push(at),
    }
    const at = { number: 1n, hash: '0x1' } as never
    const handler: RpcHandler = async () => ({
      result: rawJsonFromValue('0x5'),
      subscription: {
        id: '0x5',
        open(to) {
          reported.push(to.event('eth_subscription', result), to.drained?.())
          to.gap({ reason: `lost by ${apiKey}`, last: result })
          to.reached?.(at)
          to.end(new RpcError('disconnected', `closed by ${apiKey}`))
          to.end()
          return () => reported.push('left')
        },
      },
    })
    const clean = cleanRejections(handler, redactionOf({ url: 'http://node', apiKey }))
    const response = await clean({ method: 'eth_subscribe', params: undefined } as never, createContext({}))
    expect(response.error).toBeUndefined()
    const { subscription } = response as Extract<typeof response, { result: unknown }>
    expect(subscription!.id).toBe('0x5')
    subscription!.open(sink)()
    expect(reported).toEqual([
      ['eth_subscription', result],
      false,
      expect.any(Promise),
      { reason: 'lost by [redacted]', last: result },
      at,
      'closed by [redacted]',
      undefined,
      'left',
    ])
  })
})
