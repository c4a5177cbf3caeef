// How hard a client tries: retry, coalescing, batching, attempts, and subscriptions that outlive their connection.
import { type DevNode, startDevNode } from '@wayleave/dev-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchMissed } from '../src/events/index.ts'
import { alreadyKnown, createClient } from '../src/index.ts'
import { failure } from './helpers.ts'
import { answerTo, type PeerCall, relay, serveCalls } from './peer.ts'

const fast = { retry: { baseDelayMs: 1 } }
// The example of EIP-155, and its hash.
const transaction =
  '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83'
const hash = '0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788'

describe('a read', () => {
  it('is sent again after a failure that passes, as often as it may be', async () => {
    const { url, posts } = await serveCalls((call, nth, response) => {
      if (nth < 3) response.writeHead(503).end()
      else response.end(answerTo(call as PeerCall, '"0x1"'))
    })
    expect(await createClient({ url, ...fast }).eth.blockNumber()).toBe('0x1')
    expect(posts()).toBe(3)
  })

  it('is not sent again where retry is false', async () => {
    const { url, posts } = await serveCalls((_call, _nth, response) => response.writeHead(503).end())
    expect(await failure(createClient({ url, retry: false }).eth.blockNumber())).toMatchObject({ httpStatus: 503 })
    expect(posts()).toBe(1)
  })

  it('has a second attempt where the first one takes longer than attemptTimeoutMs', async () => {
    const { url, posts } = await serveCalls((call, nth, response) => {
      if (nth > 1) response.end(answerTo(call as PeerCall, '"0x1"'))
    })
    expect(await createClient({ url, ...fast, attemptTimeoutMs: 1_000 }).eth.blockNumber()).toBe('0x1')
    expect(posts()).toBe(2)
  })

  it('is one call where ten ask the same at once, unless coalesce is false', async () => {
    const { url, posts } = await serveCalls((call, _nth, response) => response.end(answerTo(call as PeerCall, '"0x1"')))
    const ask = (client: ReturnType<typeof createClient>): Promise<unknown> =>
      Promise.all(Array.from({ length: 10 }, () => client.eth.blockNumber()))
    expect(await ask(createClient({ url }))).toEqual(Array.from({ length: 10 }, () => '0x1'))
    expect(posts()).toBe(1)
    await ask(createClient({ url, coalesce: false }))
    expect(posts()).toBe(11)
  })
})

describe('reads of one moment', () => {
  it('are told apart by method and params', async () => {
    const { url, posts } = await serveCalls((call, _nth, response) => {
      const { method, params } = call as PeerCall
      response.end(answerTo(call as PeerCall, JSON.stringify([method, params])))
    })
    const client = createClient({ url })
    const asked = ['eth_chainId', 'eth_blockNumber'].flatMap((method) =>
      [[], ['a']].map((params) => [method, params] as const),
    )
    expect(await Promise.all(asked.map(([method, params]) => client.requestUnchecked(method, params)))).toEqual(asked)
    expect(posts()).toBe(4)
  })
})

describe('a write', () => {
  const broken = (): ReturnType<typeof serveCalls> =>
    serveCalls((_call, _nth, response) => void response.socket!.destroy())

  it.each(['eth_sendRawTransaction', 'eth_sendTransaction', 'some_method'])(
    '%s is sent once where it may have arrived, and twice by two callers',
    async (method) => {
      const { url, posts } = await broken()
      const client = createClient({ url, ...fast })
      const thrown = await failure(client.requestUnchecked(method, [transaction]))
      expect(thrown).toMatchObject({ code: 'disconnected', delivery: 'unknown' })
      expect(posts()).toBe(1)
      await Promise.all([1, 2].map(() => failure(client.requestUnchecked(method, [transaction]))))
      expect(posts()).toBe(3)
    },
  )

  it('that is a signed transaction is sent again where resendTransactions says so, and no other one', async () => {
    const { url, posts } = await serveCalls((call, nth, response) => {
      if (nth === 1) response.socket!.destroy()
      else response.end(answerTo(call as PeerCall, `"${hash}"`))
    })
    const client = createClient({ url, ...fast, resendTransactions: alreadyKnown })
    expect(await client.eth.sendRawTransaction([transaction])).toBe(hash)
    expect(posts()).toBe(2)
    const other = await broken()
    const writer = createClient({ url: other.url, ...fast, resendTransactions: alreadyKnown })
    await failure(writer.requestUnchecked('eth_sendTransaction', [{}]))
    expect(other.posts()).toBe(1)
  })
})

describe('a transaction that had arrived after all', () => {
  it('is a success where it may be sent again, and else the failure of its one attempt', async () => {
    const peer = (): ReturnType<typeof serveCalls> =>
      serveCalls((call, nth, response) => {
        if (nth === 1) response.socket!.destroy()
        else {
          const error = { code: -32000, message: 'already known' }
          response.end(JSON.stringify({ jsonrpc: '2.0', id: (call as PeerCall).id, error }))
        }
      })
    const sure = createClient({ url: (await peer()).url, ...fast, resendTransactions: alreadyKnown })
    expect(await sure.eth.sendRawTransaction([transaction])).toBe(hash)
    const careful = createClient({ url: (await peer()).url, ...fast })
    expect(await failure(careful.eth.sendRawTransaction([transaction]))).toMatchObject({ code: 'disconnected' })
  })
})

describe('a subscription', () => {
  it('is not opened by a call, which could not hear its events', async () => {
    const { url, posts } = await serveCalls(
      (call, _nth, response) => void response.end(answerTo(call as PeerCall, '"0x1"')),
    )
    const client = createClient({ url, ...fast })
    for (const method of ['eth_subscribe', 'eth_unsubscribe']) {
      for (const call of [client.requestUnchecked(method, ['newHeads']), client.requestRaw(method, ['newHeads'])]) {
        expect(await failure(call)).toMatchObject({ code: 'unavailable', delivery: 'not_sent' })
      }
    }
    expect(posts()).toBe(0)
  })
})

describe('resendTransactions', () => {
  it('is refused where it is no function', () => {
    const resendTransactions = true as never
    expect(() => createClient({ url: 'http://127.0.0.1', resendTransactions })).toThrow(TypeError)
  })
})

describe('a batch', () => {
  it('carries the calls of one moment in one POST', async () => {
    const { url, posts } = await serveCalls((calls, _nth, response) => {
      response.end(`[${(calls as PeerCall[]).map((call) => answerTo(call, `"${call.id}"`)).join(',')}]`)
    })
    const client = createClient({ url, batch: { maxCalls: 3 } })
    const methods = ['a', 'b', 'c']
    expect(await Promise.all(methods.map((method) => client.requestUnchecked(method)))).toEqual(['1', '2', '3'])
    expect(posts()).toBe(1)
  })
})

describe('over WebSocket', () => {
  let node: DevNode

  beforeAll(async () => {
    node = await startDevNode()
  })

  afterAll(() => node.close())

  it('calls and subscriptions share one connection', async () => {
    const { url, connections } = await relay(node.networks.dev.wsUrl)
    await using client = createClient({ url, transport: 'websocket' })
    expect(await client.eth.chainId()).toBe('0x7a69')
    await client.subscribe(['newHeads'], { onEvent: () => {} })
    expect(connections()).toBe(1)
  })

  it('a subscription outlives a drop: what came meanwhile is told, without a gap', async () => {
    const { url, cut, connections } = await relay(node.networks.dev.wsUrl)
    const reopened: number[] = []
    await using client = createClient({
      url,
      resubscribe: fetchMissed,
      onReconnect: () => reopened.push(connections()),
    })
    await using events = await client.events(['newHeads'])
    const direct = createClient({ url: node.networks.dev.httpUrl })
    const mine = (): Promise<unknown> => direct.requestUnchecked('evm_mine')
    await mine()
    const first = Number((await events.next()).value?.number)
    cut()
    await mine()
    await mine()
    const after = [await events.next(), await events.next()]
    expect(after.map(({ value }) => Number(value?.number))).toEqual([first + 1, first + 2])
    expect(reopened).toEqual([2])
  })

  it('a gap is told where missing events cannot be fetched, before the first event after it', async () => {
    const { url, cut } = await relay(node.networks.dev.wsUrl)
    await using client = createClient({ url })
    const gaps: unknown[] = []
    await using events = await client.events(['newPendingTransactions'], { onGap: (gap) => gaps.push(gap) })
    const direct = createClient({ url: node.networks.dev.httpUrl })
    const [from] = await direct.requestUnchecked<string[]>('eth_accounts')
    const send = (): Promise<string> => direct.requestUnchecked('eth_sendTransaction', [{ from, to: from }])
    const first = await send()
    expect((await events.next()).value).toBe(first)
    cut()
    const next = events.next()
    await expect
      .poll(async () => {
        await send()
        return gaps
      })
      .toMatchObject([{ last: first }])
    expect((await next).value).toMatch(/^0x[0-9a-f]{64}$/)
  })

  it('closing ends a subscription that waits for its connection', async () => {
    const { url, end } = await relay(node.networks.dev.wsUrl)
    const client = createClient({ url })
    const ends: unknown[] = []
    await client.subscribe(['newHeads'], { onEvent: () => {}, onEnd: (why) => ends.push(why) })
    end()
    // A call fails once there is nothing to connect to.
    await expect(client.eth.chainId()).rejects.toMatchObject({ name: 'RpcError' })
    expect(ends).toEqual([])
    void client.close()
    expect(ends).toEqual([undefined])
  })

  it('a drop ends the subscription where resubscribe is false', async () => {
    const { url, cut } = await relay(node.networks.dev.wsUrl)
    await using client = createClient({ url, resubscribe: false })
    const ended = new Promise((resolve) => {
      void client.subscribe(['newHeads'], { onEvent: () => {}, onEnd: resolve }).then(cut)
    })
    expect(await ended).toMatchObject({ name: 'RpcError', code: 'disconnected' })
  })

  it('refuses transport websocket where the URL has none', () => {
    expect(() => createClient({ url: 'http://127.0.0.1:9', transport: 'websocket' })).toThrow(
      'transport: websocket needs',
    )
  })
})
