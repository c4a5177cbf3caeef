import { createContext, type RpcResponse, type RpcSink } from '@wayleave/jsonrpc-core'
import { createWebSocketTransport } from '@wayleave/jsonrpc-core/websocket'
import { describe, expect, it } from 'vitest'
import { FakeSocket } from './fake-socket.ts'
import { eventually } from './real-server.ts'
import { call } from './support.ts'
import { answer, gone, listen, outcome, peer, push } from './websocket-peer.ts'

describe('calls', () => {
  it('share one connection and are told apart by id, in any order', async () => {
    const held: (() => void)[] = []
    const scene = await peer((socket, { id, method }) => {
      held.unshift(() => socket.send(answer(id, `"${method}"`)))
      if (held.length === 3) for (const send of held) send()
    })
    const answers = ['a', 'b', 'c'].map((method) => outcome(scene.ask(method)))
    expect(await Promise.all(answers)).toEqual(['"a"', '"b"', '"c"'])
    expect(scene.connections).toBe(1)
  })

  it('keep bytes and errors as they came, in any order of members', async () => {
    const { ask } = await peer((socket, { id, method }) => {
      if (method === 'error')
        socket.send(`{"jsonrpc":"2.0","id":${id},"error":{"code":3,"message":"reverted","data":"0x"}}`)
      else if (method === 'odd') socket.send(` {"result": [1e400] ,"id":${id}, "jsonrpc":"2.0"}`)
      else socket.send(answer(id, '{"big":12345678901234567890}'))
    })
    expect(await Promise.all(['m', 'odd', 'error'].map((method) => outcome(ask(method))))).toEqual([
      '{"big":12345678901234567890}',
      '[1e400]',
      'error 3',
    ])
  })

  it('that were cancelled ignore their late answers, and the connection goes on', async () => {
    const late: (() => void)[] = []
    const { ask, frames } = await peer((socket, { id, method }) => {
      if (method === 'slow') late.push(() => socket.send(answer(id, '"late"')))
      else {
        for (const send of late) send()
        socket.send(answer(id))
      }
    })
    const context = createContext()
    const slow = outcome(ask('slow', context))
    await eventually(() => frames.length === 1, 'the call did not arrive')
    context.cancel(gone)
    expect(await slow).toBe('aborted unknown')
    expect(await outcome(ask('quick'))).toBe('"ok"')
  })

  it('fail alone where their own answer is mis-shaped', async () => {
    const { ask } = await peer((socket, { id, method }) =>
      socket.send(method === 'bad' ? `{"jsonrpc":"2.0","id":${id}}` : answer(id)),
    )
    expect(await Promise.all(['bad', 'good'].map((method) => outcome(ask(method))))).toEqual([
      'invalid_response unknown',
      '"ok"',
    ])
  })

  it('are not moved by answers to ids that nobody sent, or by pushes that nobody wants', async () => {
    const { ask } = await peer((socket, { id }) => {
      for (const frame of [
        answer(999),
        push('0x9', '1'),
        '{"jsonrpc":"2.0","method":"x"}',
        '{"jsonrpc":"2.0","method":"x","params":7}',
      ])
        socket.send(frame)
      socket.send(answer(id))
    })
    expect(await outcome(ask())).toBe('"ok"')
  })

  it('beyond the most that may wait are refused', async () => {
    const { ask } = await peer(() => {}, { maxPending: 2 })
    const context = createContext()
    const waiting = [ask('a', context), ask('b', context)].map(outcome)
    expect(await outcome(ask('c'))).toBe('overloaded not_sent')
    context.cancel(gone)
    await Promise.all(waiting)
  })
})

it('takes no call while 16 MiB are unsent, and takes calls again afterwards', async () => {
  const socket = new FakeSocket()
  const transport = createWebSocketTransport({ url: 'ws://peer', connect: () => socket })
  const ask = (method: string): Promise<string> => outcome(transport.handler(call(method), createContext()))
  const first = ask('a')
  socket.open()
  socket.bufferedAmount = 16 * 1024 * 1024 + 1
  expect(await ask('b')).toBe('overloaded not_sent')
  socket.bufferedAmount = 0
  socket.answer()
  const third = ask('c')
  socket.answer()
  expect([await first, await third]).toEqual(['"ok"', '"ok"'])
  expect(socket.sent).toHaveLength(2)
  await transport.close()
})

describe('a subscription', () => {
  const opened = async (response: Promise<RpcResponse>) => {
    const { subscription } = (await response) as { subscription?: { id: string; open(sink: RpcSink): () => void } }
    return subscription!
  }

  it('loses no event between its reply and its opening, whose reply precedes its first push', async () => {
    const { ask } = await peer((socket, { id, method }) => {
      socket.send(answer(id, '"0x1"'))
      if (method === 'eth_subscribe') for (let n = 1; n <= 3; n++) socket.send(push('0x1', String(n)))
      if (method === 'more') socket.send(push('0x1', '4'))
    })
    const subscription = await opened(ask('eth_subscribe'))
    expect(subscription.id).toBe('0x1')
    // All that the peer sent before this answer has come once it has.
    await ask('other')
    const log: string[] = []
    subscription.open(listen(log))
    expect(log).toEqual(['eth_subscription 1', 'eth_subscription 2', 'eth_subscription 3'])
    await ask('more')
    await eventually(() => log.length === 4, 'the fourth event did not come')
    expect(log[3]).toBe('eth_subscription 4')
  })

  it('loses no event that came before its reply, by a text or a number', async () => {
    for (const token of ['"0x1"', '12087002620491376522']) {
      const name = token.startsWith('"') ? 'subscription' : 'subscription_id'
      const event = (n: number, of = token): string =>
        `{"jsonrpc":"2.0","method":"e","params":{"${name}":${of},"result":${n}}}`
      const { ask } = await peer((socket, { id, method }) => {
        if (method !== 'eth_subscribe') return socket.send(answer(id))
        for (const frame of [event(1), event(7, '"0x7"'), event(2), answer(id, token), event(3)]) socket.send(frame)
      })
      const subscription = await opened(ask('eth_subscribe'))
      await ask('other')
      const log: string[] = []
      subscription.open(listen(log))
      expect(log).toEqual(['e 1', 'e 2', 'e 3'])
    }
  })

  it('gets the newest of too many events that came before its reply, and none from before the call', async () => {
    const { ask } = await peer(
      (socket, { id, method }) => {
        if (method === 'm') socket.send(push('0x1', '0'))
        if (method === 'eth_subscribe') for (let n = 1; n <= 5; n++) socket.send(push('0x1', String(n)))
        socket.send(answer(id, '"0x1"'))
      },
      { maxHeldEvents: 3 },
    )
    await ask('m')
    const log: string[] = []
    ;(await opened(ask('eth_subscribe'))).open(listen(log))
    expect(log).toEqual(['eth_subscription 3', 'eth_subscription 4', 'eth_subscription 5'])
  })

  it('gets no more bytes of events that came before its reply than one message may have', async () => {
    const { ask } = await peer(
      (socket, { id }) => {
        for (let n = 1; n <= 5; n++) socket.send(push('0x1', `"${String(n).repeat(400)}"`))
        socket.send(answer(id, '"0x1"'))
      },
      { maxMessageBytes: 1_200 },
    )
    const log: string[] = []
    ;(await opened(ask('eth_subscribe'))).open(listen(log))
    expect(log.map((line) => line.charAt(18))).toEqual(['4', '5'])
  })

  it('is ended at the peer when it is left, once', async () => {
    const { ask, frames } = await peer((socket, { id, method }) =>
      socket.send(answer(id, method === 'eth_subscribe' ? '"0x1"' : 'true')),
    )
    const leave = (await opened(ask('eth_subscribe'))).open(listen([]))
    leave()
    leave()
    expect(await outcome(ask())).toBe('true')
    expect(frames.filter(({ method }) => method === 'eth_unsubscribe').map(({ params }) => params)).toEqual([['0x1']])
  })

  it('whose caller has gone is ended when its id arrives', async () => {
    let reply = (): void => {}
    const { ask, frames } = await peer((socket, { id, method }) => {
      if (method === 'eth_subscribe') reply = () => socket.send(answer(id, '"0x1"'))
      else socket.send(answer(id, 'true'))
    })
    const context = createContext()
    const left = outcome(ask('eth_subscribe', context))
    await eventually(() => frames.length === 1, 'the call did not arrive')
    context.cancel(gone)
    expect(await left).toBe('aborted unknown')
    reply()
    await eventually(() => frames.some(({ method }) => method === 'eth_unsubscribe'), 'it was not ended')
  })

  it('that gets the id of another one is refused, and the other one goes on', async () => {
    const { ask, frames } = await peer((socket, { id, method }) => {
      socket.send(answer(id, method === 'eth_subscribe' ? '"0x1"' : 'true'))
      if (method === 'm') socket.send(push('0x1', '1'))
    })
    const log: string[] = []
    ;(await opened(ask('eth_subscribe'))).open(listen(log))
    expect(await outcome(ask('eth_subscribe'))).toBe('invalid_response unknown')
    await ask('m')
    await eventually(() => log.length > 0, 'no event came')
    expect(log).toEqual(['eth_subscription 1'])
    expect(frames.some(({ method }) => method === 'eth_unsubscribe')).toBe(false)
  })

  it('is known by any token that its peer gives as its id, under either name in the params', async () => {
    // Nodes of Starknet give numbers, beyond 2^53 too.
    for (const token of ['12087002620491376522', '"12087002620491376522"', '"\\u0031"']) {
      const event = `{"jsonrpc":"2.0","method":"e","params":{"result":1,"subscription_id":${token}}}`
      const raw: string[] = []
      const { ask, server } = await peer((socket, { id, method }) => {
        socket.send(answer(id, method === 'eth_subscribe' ? token : 'true'))
        if (method === 'm') socket.send(event)
      })
      server.on('connection', (socket) => socket.on('message', (data) => void raw.push(String(data))))
      const log: string[] = []
      const leave = (await opened(ask('eth_subscribe'))).open(listen(log))
      await ask('m')
      await eventually(() => log.length > 0, 'no event came')
      expect(log).toEqual(['e 1'])
      leave()
      await eventually(() => raw.length === 3, 'it was not ended')
      expect(raw[2]).toContain(`"method":"eth_unsubscribe","params":[${token}]`)
    }
  })

  it('that the peer refuses is its error; one without an id is an invalid response', async () => {
    const { ask } = await peer((socket, { id, params }) =>
      socket.send(
        params[0] === 'no'
          ? `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"no"}}`
          : answer(id, String(params[0])),
      ),
    )
    expect(await outcome(ask('eth_subscribe', createContext(), ['no']))).toBe('error -32601')
    // The token is sent back where the subscription is left: what is no JSON would cost the connection of everybody.
    for (const token of ['[7]', 'null', '{"a":1}', '7x', '7e', '07', '"\\x"'])
      expect(await outcome(ask('eth_subscribe', createContext(), [token])), token).toBe('invalid_response unknown')
  })
})
