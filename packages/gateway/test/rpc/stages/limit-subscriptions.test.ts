import { evmMethods } from '@wayleave/evm-types'
import {
  createContext,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  type RpcResponse,
  type RpcSession,
  type RpcSink,
} from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { composeStages, opensSubscription } from '@wayleave/network'
import { limitSubscriptions } from '../../../src/rpc/stages/limit-subscriptions.ts'
import { call, rejectionOf, resultOf } from '../../support.ts'

const sink: RpcSink = { event: () => true, gap() {}, end() {} }

function scene(maxSubscriptions = 3, below?: RpcHandler) {
  let last = 0
  const subscribe: RpcHandler = async ({ method }) => {
    if (method !== 'eth_subscribe') return { result: rawJsonFromText('"passed"') }
    const id = `0x${++last}`
    return { result: rawJsonFromValue(id), subscription: { id, open: () => () => {} } }
  }
  const session: RpcSession = { subscriptions: new Map(), sendEvent: () => true, onClose: () => () => {}, close() {} }
  const context = createContext({ session })
  const methods = Object.keys(evmMethods).filter((method) => opensSubscription(evmMethods, method))
  const stage = { name: 'limit', methods, apply: limitSubscriptions({ maxSubscriptions }) }
  const handler = composeStages([stage], below ?? subscribe)
  return {
    session,
    handler,
    send: (method: string, params: unknown = []) => handler(call(method, params), context),
  }
}

/** Opens the subscription of an answer, as the server does once it is written. */
function open(response: RpcResponse, session: RpcSession): void {
  const { subscription } = response as { subscription?: { id: string; open(to: RpcSink): () => void } }
  session.subscriptions.set(subscription!.id, subscription!.open(sink))
}

describe('without a connection', () => {
  it.each(['eth_subscribe', 'eth_chainId', 'toString'])(
    '%s passes: what it may do is decided below',
    async (method) => {
      const below: RpcHandler = async () => ({ result: rawJsonFromText('"passed"') })
      expect(resultOf(await scene(0, below).handler(call(method, ['newHeads']), createContext()))).toBe('passed')
    },
  )
})

it('only what opens a subscription is counted', async () => {
  const { send, session } = scene(1)
  open(await send('eth_subscribe', ['newHeads']), session)
  expect(resultOf(await send('eth_unsubscribe', ['0x1']))).toBe('passed')
  expect(resultOf(await send('eth_chainId'))).toBe('passed')
})

describe('the cap on subscriptions', () => {
  const full = { code: -32005, message: 'at most 3 subscriptions fit a connection' }

  it('holds for one after the other, and a place that is left can be taken', async () => {
    const { send, session } = scene()
    for (let i = 0; i < 3; i++) open(await send('eth_subscribe', ['newHeads']), session)
    expect((await send('eth_subscribe', ['newHeads'])).error).toEqual(full)
    session.subscriptions.delete('0x2')
    expect((await send('eth_subscribe', ['newHeads'])).error).toBeUndefined()
  })

  it('holds for calls side by side, whose answers are not written yet', async () => {
    const { send, session } = scene()
    const responses = await Promise.all(Array.from({ length: 10 }, () => send('eth_subscribe', ['newHeads'])))
    expect(responses.filter(({ error }) => error === undefined).length).toBe(3)
    expect((await send('eth_subscribe', ['newHeads'])).error).toEqual(full)
    for (const response of responses.slice(0, 3)) open(response, session)
    expect((await send('eth_subscribe', ['newHeads'])).error).toEqual(full)
  })

  it('counts none that failed', async () => {
    const outcomes: RpcHandler[] = [
      () => Promise.reject(new RpcError('connect', 'no')),
      async () => ({ error: { code: -32602, message: 'no such kind' } }),
      async () => ({ result: rawJsonFromText('"0x1"') }),
    ]
    let turn = 0
    const { send } = scene(1, (request, context) => outcomes[turn++ % 3]!(request, context))
    for (let i = 0; i < 6; i++) {
      const outcome = await send('eth_subscribe', ['newHeads']).catch((why: unknown) => why)
      expect(outcome).not.toMatchObject({ error: { code: -32005 } })
    }
    expect(turn).toBe(6)
  })

  it('is of one connection, not of all', async () => {
    const { handler } = scene(1)
    for (let i = 0; i < 3; i++) {
      const session: RpcSession = {
        subscriptions: new Map(),
        sendEvent: () => true,
        onClose: () => () => {},
        close() {},
      }
      expect((await handler(call('eth_subscribe', ['newHeads']), createContext({ session }))).error).toBeUndefined()
    }
  })
})

it('an upstream that fails rejects as it did', async () => {
  const why = new RpcError('unavailable', 'no upstream can take this call')
  expect(await rejectionOf(scene(1, () => Promise.reject(why)).send('eth_subscribe', ['newHeads']))).toBe(why)
})
