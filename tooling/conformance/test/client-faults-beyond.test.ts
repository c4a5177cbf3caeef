import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { type Client, type ClientOptions, createClient, RpcError } from '@wayleave/client'
import { verify } from '@wayleave/client/verify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  HostileNode,
  ordinaryAnswer,
  printAnswer,
  type ReceivedPost,
  sendBody,
} from '../src/client-faults/hostile-node.ts'
import { someAddress } from '../src/client-faults/subject.ts'
import { feeMarketTransaction, legacyTransaction, rawTransaction } from '../src/client-faults/transactions.ts'
import { until } from './support/wait.ts'

let node: HostileNode
const clients: Client[] = []

beforeEach(async () => {
  node = await HostileNode.start()
})

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  await node[Symbol.asyncDispose]()
})

function open(options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ url: node.httpUrl, retry: false, ...options })
  clients.push(client)
  return client
}

const openSocket = (options: Partial<ClientOptions> = {}): Client => open({ url: node.wsUrl, ...options })

async function failure(work: Promise<unknown>): Promise<RpcError> {
  const thrown = await work.then(
    () => expect.unreachable('the call succeeded'),
    (why: unknown) => why,
  )
  expect(thrown).toBeInstanceOf(RpcError)
  return thrown as RpcError
}

const balance = (client: Client): Promise<unknown> => client.request('eth_getBalance', [someAddress, 'latest'])

/** Answers every POST with the same result, as it is written. */
function answerWith(resultText: string | Buffer): void {
  node.onPost = ({ calls, response }) => {
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(calls[0]!.id)},"result":`
    sendBody(response, Buffer.concat([Buffer.from(head), Buffer.from(resultText), Buffer.from('}')]))
  }
}

describe('a reply that drips', () => {
  it('is left at the deadline, and its connection with it', async () => {
    let closed: Promise<unknown> | undefined
    node.onPost = ({ response }) => {
      closed = once(response, 'close')
      response.writeHead(200, { 'content-type': 'application/json' })
      void drip(
        (piece) => response.write(piece),
        () => response.destroyed,
      )
    }
    const client = open({ timeoutMs: 300 })
    expect(await failure(balance(client))).toMatchObject({ code: 'timeout' })
    await closed
  })

  it('of headers is, too', async () => {
    let closed: Promise<unknown> | undefined
    node.onPost = ({ request: { socket } }) => {
      // The client resets it: bytes that it has not read may wait.
      closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve))
      void drip(
        (piece) => socket.write(piece),
        () => socket.destroyed,
        'HTTP/1.1 200 OK\r\nx-slow: ',
      )
    }
    const client = open({ timeoutMs: 300 })
    expect(await failure(balance(client))).toMatchObject({ code: 'timeout' })
    await closed
  })

  it('in a WebSocket frame ends the call at its deadline', async () => {
    node.onMessage = ({ connection }) => {
      // A text frame of 125 bytes, byte by byte.
      void drip(
        (piece) => connection.write(piece),
        () => connection.destroyed,
        Buffer.from([0x81, 125]),
      )
    }
    expect(await failure(balance(openSocket({ timeoutMs: 300 })))).toMatchObject({ code: 'timeout' })
  })
})

async function drip(
  write: (piece: string | Buffer) => unknown,
  isOver: () => boolean,
  head: string | Buffer = '{"jsonrpc":"2.0",',
): Promise<void> {
  write(head)
  for (; !isOver(); await sleep(20)) write(' ')
}

describe('a body that is small on the wire', () => {
  it('and huge unpacked is refused at the cap', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, '0'))
    node.onPost = ({ response }) => sendBody(response, bomb, { 'content-encoding': 'gzip' })
    expect(await failure(balance(open()))).toMatchObject({ code: 'too_large' })
  })

  it('and is not what it says it is packed with is no answer', async () => {
    node.onPost = ({ response }) => sendBody(response, 'no gzip at all', { 'content-encoding': 'gzip' })
    expect(['disconnected', 'invalid_response']).toContain((await failure(balance(open()))).code)
  })
})

describe('values that hurt', () => {
  const levels = 200_000
  const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`

  it('nested deeper than any stack cross as text, and are refused where a quantity was expected', async () => {
    answerWith(deep)
    const client = open()
    expect(await client.requestRaw('eth_getBalance', [someAddress, 'latest'])).toBe(deep)
    const refused = await failure(balance(client))
    expect(refused).toMatchObject({ code: 'invalid_response' })
    expect(refused.message.length).toBeLessThan(500)
  })

  it('nested as deep in an error leave it an error', async () => {
    node.onPost = ({ calls, response }) => {
      const id = JSON.stringify(calls[0]!.id)
      sendBody(response, `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"deep","data":${deep}}}`)
    }
    expect(await failure(balance(open()))).toMatchObject({ code: 'rpc', rpc: { code: -32000, message: 'deep' } })
  })

  it('beyond a double are kept as text, are no quantity, and no error code', async () => {
    answerWith('1e400')
    const client = open()
    expect(await client.requestRaw('eth_getBalance', [someAddress, 'latest'])).toBe('1e400')
    expect(await failure(balance(client))).toMatchObject({ code: 'invalid_response' })
    node.onPost = ({ calls, response }) => {
      const id = JSON.stringify(calls[0]!.id)
      sendBody(response, `{"jsonrpc":"2.0","id":${id},"error":{"code":1e400,"message":"x"}}`)
    }
    expect(await failure(balance(client))).toMatchObject({ code: 'invalid_response' })
  })

  it('with lone surrogates pass where they are escaped, and are refused as bytes', async () => {
    answerWith('"\\ud800 \\udc00"')
    const client = open()
    expect(await client.requestUnchecked('web3_clientVersion')).toBe('\ud800 \udc00')
    answerWith(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))
    expect(await failure(client.requestUnchecked('web3_clientVersion'))).toMatchObject({ code: 'invalid_response' })
  })

  it('named __proto__ are members like others, and reach no prototype', async () => {
    answerWith('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}')
    const client = open()
    const result = await client.requestUnchecked<Record<string, unknown>>('custom_object')
    expect(Object.keys(result)).toEqual(['__proto__', 'constructor', 'a'])
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('named __proto__ in envelope and error stand for no member of theirs', async () => {
    const client = open()
    node.onPost = ({ calls, response }) =>
      sendBody(response, `{"jsonrpc":"2.0","id":${JSON.stringify(calls[0]!.id)},"__proto__":{"result":"0x1"}}`)
    expect(await failure(balance(client))).toMatchObject({ code: 'invalid_response' })
    node.onPost = ({ calls, response }) => {
      const error = '{"code":-32000,"message":"x","__proto__":{"data":"0x08c379a0"}}'
      sendBody(response, `{"jsonrpc":"2.0","id":${JSON.stringify(calls[0]!.id)},"error":${error}}`)
    }
    const refused = await failure(balance(client))
    expect(refused).toMatchObject({ code: 'rpc', rpc: { code: -32000 } })
    expect(refused.rpc!.data).toBeUndefined()
  })
})

/** Says how long the body is, and breaks off before. */
function breakOff({ response }: ReceivedPost): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
  response.write('{"jsonrpc":"2.0"')
  setTimeout(() => response.destroy(), 20)
}

describe('a transaction that is another', () => {
  const { hash } = legacyTransaction
  const ask = (options: Partial<ClientOptions> = {}): Promise<{ readonly hash?: unknown }> =>
    open(options).requestUnchecked('eth_getTransactionByHash', [hash])

  it('is refused by default', async () => {
    answerWith(JSON.stringify(feeMarketTransaction))
    expect(await failure(ask())).toMatchObject({ code: 'invalid_response' })
  })

  it('and has the hash that was asked for is refused by `verify` alone', async () => {
    answerWith(JSON.stringify({ ...feeMarketTransaction, hash }))
    expect(await ask()).toMatchObject({ hash })
    expect(await failure(ask({ verify: verify('consistent') }))).toMatchObject({ code: 'invalid_response' })
  })
})

describe('a node that closes in the middle', () => {
  it('of a body: a read is asked again, a transaction is not', async () => {
    const client = open({ retry: {} })
    node.onPost = (post) => {
      if (node.callsOf('eth_getBalance').length === 2) sendBody(post.response, ordinaryAnswer(post.calls[0]!))
      else breakOff(post)
    }
    expect(await balance(client)).toBe('0x2a')
    expect(node.callsOf('eth_getBalance')).toHaveLength(2)
    node.onPost = breakOff
    expect(await failure(client.request('eth_sendRawTransaction', [rawTransaction]))).toMatchObject({
      code: 'disconnected',
      delivery: 'unknown',
    })
    expect(node.callsOf('eth_sendRawTransaction')).toHaveLength(1)
  })

  it('of a WebSocket frame: the call rejects, and the next one has a new connection', async () => {
    const client = openSocket()
    node.onMessage = ({ connection }) => {
      connection.write(Buffer.concat([Buffer.from([0x81, 100]), Buffer.from('{"jsonrpc":"2.0"')]))
      setTimeout(() => connection.destroy(), 20)
    }
    expect(await failure(balance(client))).toMatchObject({ code: 'disconnected' })
    node.onMessage = ({ call, socket, connectionNumber }) =>
      socket.send(printAnswer(call, { result: `0x${connectionNumber}` }))
    // While the connection is being made again a call may be told to come back later.
    let answer: unknown
    await until('an answer', () => {
      void balance(client).then(
        (result) => (answer = result),
        () => {},
      )
      return answer !== undefined
    })
    expect(Number(answer)).toBeGreaterThan(1)
  })
})

describe('a node that answers pings and nothing else', () => {
  it('ends no call later than its deadline', async () => {
    node.onMessage = () => {}
    expect(await failure(balance(openSocket({ timeoutMs: 200 })))).toMatchObject({ code: 'timeout' })
  })

  it('is found out by the heartbeat: its subscriptions move to a new connection, and a gap is told', async () => {
    node.onMessage = ({ call, socket, connectionNumber }) => {
      // The first connection carries one subscription, and the question for its place, then falls silent.
      if (connectionNumber === 1 && !/^eth_(?:subscribe|getBlockByNumber)$/.test(call.method)) return
      const result = call.method === 'eth_subscribe' ? `0x${connectionNumber}abc` : '0x1'
      socket.send(printAnswer(call, { result }))
      if (call.method !== 'eth_subscribe' || connectionNumber === 1) return
      const params = { subscription: result, result: { number: '0x99' } }
      setTimeout(() => socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params })), 20)
    }
    const client = openSocket({ heartbeat: { intervalMs: 500, timeoutMs: 1_000 } })
    const heads: unknown[] = []
    const gaps: unknown[] = []
    await client.subscribe(['newHeads'], { onEvent: (head) => heads.push(head), onGap: (why) => gaps.push(why) })
    await until('a head on the second connection', () => heads.length === 1)
    expect(heads).toEqual([{ number: '0x99' }])
    expect(gaps).toHaveLength(1)
  })
})
