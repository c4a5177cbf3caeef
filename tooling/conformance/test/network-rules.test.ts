import { type DevNode, startDevNode } from '@wayleave/dev-node'
import type { RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deployDirectly, transact } from './support/chain.ts'
import { httpUrl, key, startDevGateway, startGatewayBefore } from './support/gateway.ts'
import { ask, call, post, type RpcAnswer } from './support/http.ts'
import { answer, type HttpScript, type Peer, startPeer } from './support/peer.ts'
import { openSocket } from './support/socket.ts'

let node: DevNode
let gateway: RunningGateway

beforeAll(async () => {
  node = await startDevNode()
  gateway = await startDevGateway(node)
})

afterAll(async () => {
  await gateway.close()
  await node.close()
})

const thirtyMillion = '0x1c9c380'
/** Ten times that. */
const cap = '0x11e1a300'

/** A node that has a block, and answers everything else with `0x1`. */
const withBlock =
  (gasLimit: string): HttpScript =>
  (sent) =>
    answer(sent.method === 'eth_getBlockByNumber' ? { number: '0x1', gasLimit } : '0x1')(sent)

/** The frames of one method that reached the peer, without their ids. */
const framesOf = (peer: Peer, method: string): string[] =>
  peer.received.filter((text) => text.includes(`"method":"${method}"`)).map((text) => text.replace(/"id":\d+,/, ''))

/** Sends params as the text they are. */
async function send(url: string, method: string, params: string): Promise<RpcAnswer> {
  const { text } = await post(url, `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`)
  return JSON.parse(text) as RpcAnswer
}

describe('eth_getBlockReceipts', () => {
  it('takes decimal block numbers and pending, which the node refuses or means otherwise, over both paths and transports', async () => {
    const url = node.networks.dev.httpUrl
    const { blockNumber } = await transact(url, { data: '0x5f5fa0' })
    const decimal = Number(blockNumber)
    const receipts = await ask(url, 'eth_getBlockReceipts', [blockNumber])
    expect(receipts).toMatchObject([{ blockNumber, logs: [{ blockNumber }] }])
    await using socket = await openSocket(`${gateway.ws}/dev/ws/v3/${key}`)
    await using bare = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    for (const block of [decimal, String(decimal), blockNumber, 'pending', 'latest']) {
      expect(await ask(httpUrl(gateway), 'eth_getBlockReceipts', [block])).toEqual(receipts)
      expect(await ask(httpUrl(gateway, 'dev'), 'eth_getBlockReceipts', [block])).toEqual(receipts)
      expect((await socket.ask('eth_getBlockReceipts', [block])).result).toEqual(receipts)
      expect((await bare.ask('eth_getBlockReceipts', [block])).result).toEqual(receipts)
    }
    expect(await ask(httpUrl(gateway), 'eth_getBlockReceipts', ['999999999'])).toBeNull()
  })

  it('reaches the node in hex, exactly, in a batch too', async () => {
    await using peer = await startPeer(answer([]))
    await using before = await startGatewayBefore([peer.httpUrl])
    await send(httpUrl(before), 'eth_getBlockReceipts', '[ 9007199254740993 ]')
    await post(
      httpUrl(before),
      '[{"jsonrpc":"2.0","id":1,"method":"eth_getBlockReceipts","params":["pending"]},{"jsonrpc":"2.0","id":2,"method":"eth_getBlockByNumber","params":["pending",false]}]',
    )
    expect(framesOf(peer, 'eth_getBlockReceipts')).toEqual([
      '{"jsonrpc":"2.0","method":"eth_getBlockReceipts","params":[ "0x20000000000001" ]}',
      '{"jsonrpc":"2.0","method":"eth_getBlockReceipts","params":["latest"]}',
    ])
    expect(framesOf(peer, 'eth_getBlockByNumber')).toEqual([
      '{"jsonrpc":"2.0","method":"eth_getBlockByNumber","params":["pending",false]}',
    ])
  })

  it('shares one flight with the block that its parameter means', async () => {
    await using peer = await startPeer(answer([]))
    await using before = await startGatewayBefore([peer.httpUrl])
    const batch = ['pending', 'latest', 7, '7', '0x7'].map((block, i) => call('eth_getBlockReceipts', [block], i))
    const answers = JSON.parse((await post(httpUrl(before), batch)).text) as RpcAnswer[]
    expect(answers.map(({ result }) => result)).toEqual([[], [], [], [], []])
    expect(peer.calls).toEqual(['eth_getBlockReceipts', 'eth_getBlockReceipts'])
  })
})

describe('eth_getStorageAt', () => {
  it('without a block parameter reads the latest block, of a real node too', async () => {
    const { address } = await deployDirectly(node.networks.dev.httpUrl)
    const stored = `0x${(42).toString(16).padStart(64, '0')}`
    expect(await ask(httpUrl(gateway), 'eth_getStorageAt', [address, '0x0'])).toBe(stored)
    expect(await ask(httpUrl(gateway), 'eth_getStorageAt', [address, '0x0', null])).toBe(stored)
    await using peer = await startPeer()
    await using before = await startGatewayBefore([peer.httpUrl])
    await send(httpUrl(before), 'eth_getStorageAt', '["0xab", "0x0" ]')
    expect(framesOf(peer, 'eth_getStorageAt')).toEqual([
      '{"jsonrpc":"2.0","method":"eth_getStorageAt","params":["0xab", "0x0","latest" ]}',
    ])
  })
})

describe('the gas of a call', () => {
  it('is at most ten times the block gas limit when it reaches the node, and the rest stays as it was', async () => {
    await using peer = await startPeer(withBlock(thirtyMillion))
    await using before = await startGatewayBefore([peer.httpUrl])
    const rest = '"value":12345678901234567890,"unknown":1e400,"unknown":-0}, "latest"'
    for (const method of ['eth_call', 'eth_estimateGas']) {
      await send(httpUrl(before), method, `[{"gas": "0xffffffffffffffff",${rest}]`)
      expect(framesOf(peer, method)).toEqual([
        `{"jsonrpc":"2.0","method":"${method}","params":[{"gas": "${cap}",${rest}]}`,
      ])
    }
    expect(peer.calls.filter((method) => method === 'eth_getBlockByNumber')).toHaveLength(1)
  })

  it.each([
    ['the last of two', '{"gas":"0x1","gas":"0xffffffffff"}', `{"gas":"0x1","gas":"${cap}"}`],
    ['a name in another case', '{"gas":"0x1","GAS":"0xffffffffff"}', `{"gas":"0x1","GAS":"${cap}"}`],
    ['a name that Go folds', '{"ga\\u017f":"0xffffffffff"}', `{"ga\\u017f":"${cap}"}`],
    ['another name', '{"gasLimit":"0xffffffffff"}', `{"gasLimit":"${cap}"}`],
    ['a number', '{"gas":99999999999999999999}', `{"gas":"${cap}"}`],
  ])('gets past that by no trick: %s', async (_what, sent, expected) => {
    await using peer = await startPeer(withBlock(thirtyMillion))
    await using before = await startGatewayBefore([peer.httpUrl])
    await send(httpUrl(before), 'eth_call', `[${sent}]`)
    expect(framesOf(peer, 'eth_call')).toEqual([`{"jsonrpc":"2.0","method":"eth_call","params":[${expected}]}`])
  })

  it('that is none in digits, or stands in params by name, is refused', async () => {
    await using peer = await startPeer(withBlock(thirtyMillion))
    await using before = await startGatewayBefore([peer.httpUrl])
    for (const params of ['[{"gas":"#ffffffffff"}]', '[{"gas":1e12}]', '{"call":{"gas":"0xffffffffff"}}']) {
      expect((await send(httpUrl(before), 'eth_call', params)).error).toMatchObject({ code: -32602 })
    }
    expect(peer.calls).toEqual([])
  })

  it('passes as it is where the limit cannot be had, and a call without gas asks for none', async () => {
    await using peer = await startPeer(({ method, ...sent }) =>
      method === 'eth_getBlockByNumber' ? answer(null)({ method, ...sent }) : answer('0x1')({ method, ...sent }),
    )
    await using before = await startGatewayBefore([peer.httpUrl])
    await send(httpUrl(before), 'eth_call', '[{"gasPrice":"0xffffffffff"}]')
    expect(peer.calls).toEqual(['eth_call'])
    await send(httpUrl(before), 'eth_call', '[{"gas":"0xffffffffff"}]')
    expect(framesOf(peer, 'eth_call')[1]).toBe(
      '{"jsonrpc":"2.0","method":"eth_call","params":[{"gas":"0xffffffffff"}]}',
    )
  })

  it('is asked for once by many callers at once', async () => {
    await using peer = await startPeer(withBlock(thirtyMillion))
    await using before = await startGatewayBefore([peer.httpUrl])
    const gases = Array.from({ length: 20 }, (_, i) => `0xffffffffff${i.toString(16).padStart(2, '0')}`)
    await Promise.all(gases.map((gas) => send(httpUrl(before), 'eth_call', `[{"gas":"${gas}"}]`)))
    expect(peer.calls.filter((method) => method === 'eth_getBlockByNumber')).toHaveLength(1)
    for (const frame of framesOf(peer, 'eth_call')) expect(frame).toContain(`[{"gas":"${cap}"}]`)
  })

  it('is what a real node executes with', async () => {
    const { gasLimit } = (await ask(node.networks.dev.httpUrl, 'eth_getBlockByNumber', ['latest', false])) as {
      gasLimit: string
    }
    // GAS PUSH0 MSTORE PUSH1 32 PUSH0 RETURN: what is left of the gas.
    const left = async (gas: string): Promise<bigint> =>
      BigInt((await ask(httpUrl(gateway), 'eth_call', [{ data: '0x5a5f5260205ff3', gas }])) as string)
    const most = 10n * BigInt(gasLimit)
    const spent = 10_000_000n - (await left('0x989680'))
    expect(spent).toBeGreaterThan(21_000n)
    expect(await left(`0x${(most - 1n).toString(16)}`)).toBe(most - 1n - spent)
    expect(await left(`0x${(most * 7n).toString(16)}`)).toBe(most - spent)
  })
})

describe('rollup_getInfo', () => {
  const marks = { wayleave: { derivedFrom: 'optimism_syncStatus' } }

  it('that was derived says so in a header, which pages may read', async () => {
    const headers = { origin: 'https://example.org' }
    const reply = await post(httpUrl(gateway, 'rollup-dev'), call('rollup_getInfo'), { headers })
    const { wayleave, result } = JSON.parse(reply.text) as RpcAnswer & Partial<typeof marks>
    expect(result).toMatchObject({ mode: 'sequencer', rollupContext: { queueIndex: 0 } })
    expect(reply.headers['x-wayleave-derived-from']).toBe('optimism_syncStatus')
    expect(reply.headers['access-control-expose-headers']).toContain('X-Wayleave-Derived-From')
    expect(wayleave).toBeUndefined()
  })

  it('says so beside its result where that was asked for: in a batch, and over WebSocket', async () => {
    const url = httpUrl(gateway, 'rollup-dev')
    const headers = { 'x-wayleave-marks': 'inline' }
    const batch = [call('rollup_getInfo', [], 'a'), call('eth_chainId', [], 'b')]
    const [info, chain] = JSON.parse((await post(url, batch, { headers })).text) as RpcAnswer[]
    expect(info).toEqual({ jsonrpc: '2.0', id: 'a', result: expect.any(Object), ...marks })
    expect(chain).toEqual({ jsonrpc: '2.0', id: 'b', result: '0x385', wayleave: { cache: 'miss' } })
    await using marked = await openSocket(`${gateway.ws}/rollup-dev/ws/v3/${key}`, { headers })
    expect(await marked.ask('rollup_getInfo')).toEqual({ jsonrpc: '2.0', id: 1, result: info!.result, ...marks })
    await using plain = await openSocket(`${gateway.ws}/rollup-dev/ws/v3/${key}`)
    const unmarked = JSON.parse((await post(url, batch)).text) as RpcAnswer[]
    expect([await plain.ask('rollup_getInfo'), unmarked[0]]).toEqual([
      { jsonrpc: '2.0', id: 1, result: info!.result },
      { jsonrpc: '2.0', id: 'a', result: info!.result },
    ])
  })

  it('that the node has is passed on unmarked', async () => {
    await using peer = await startPeer(answer({ mode: 'verifier' }))
    await using before = await startGatewayBefore([peer.httpUrl])
    const headers = { 'x-wayleave-marks': 'inline' }
    const plain = await post(httpUrl(before), call('rollup_getInfo'), { headers })
    expect(plain.text).toBe('{"jsonrpc":"2.0","id":1,"result":{"mode":"verifier"}}')
    expect(plain.headers['x-wayleave-derived-from']).toBeUndefined()
  })
})
