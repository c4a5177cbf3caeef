// Subscriptions of a Starknet node, which name their notifications.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { createClient, SchemaError } from '../../src/index.ts'
import { starknet } from '../../src/starknet/index.ts'

interface Call {
  readonly id: number
  readonly method: string
  readonly params: unknown
}

/** A Starknet node that answers each subscription with an id, and then pushes these notifications. */
async function serve(...pushed: readonly (readonly [method: string, result: unknown])[]): Promise<{
  readonly url: string
  readonly calls: Call[]
}> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const calls: Call[] = []
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      const call = JSON.parse(String(data)) as Call
      calls.push(call)
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: call.id, result: call.method.includes('un') ? true : '7' }))
      if (call.method.includes('unsubscribe')) return
      for (const [method, result] of pushed) {
        socket.send(JSON.stringify({ jsonrpc: '2.0', method, params: { subscription_id: '7', result } }))
      }
    })
  })
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
}

describe('a Starknet subscription', () => {
  it('tells heads and reorgs apart, and unsubscribes when its loop is left', async () => {
    const reorg = {
      starting_block_hash: '0x1',
      starting_block_number: 6,
      ending_block_hash: '0x2',
      ending_block_number: 7,
    }
    const { url, calls } = await serve(
      ['starknet_subscriptionNewHeads', { block_number: 7 }],
      ['starknet_subscriptionReorg', reorg],
    )
    await using client = createClient({ url, apis: { starknet: starknet({ version: '0.8' }) } })
    const reported: unknown[] = []
    for await (const event of await client.starknet.subscribeNewHeads({ block_id: 'latest' })) {
      if (event.method === 'starknet_subscriptionReorg') reported.push(event.result.ending_block_number)
      else reported.push(event.result.block_number)
      if (reported.length === 2) {
        expect(event).toEqual({ method: 'starknet_subscriptionReorg', result: reorg })
        break
      }
    }
    expect(reported).toEqual([7, 7])
    expect(calls[0]).toMatchObject({ method: 'starknet_subscribeNewHeads', params: { block_id: 'latest' } })
    await expect.poll(() => calls[1]).toMatchObject({ method: 'starknet_unsubscribe', params: ['7'] })
  })

  it.each([
    ['subscribeEvents', 'starknet_subscriptionEvents'],
    ['subscribeTransactionStatus', 'starknet_subscriptionTransactionStatus'],
    ['subscribeNewTransactions', 'starknet_subscriptionNewTransaction'],
    ['subscribeNewTransactionReceipts', 'starknet_subscriptionNewTransactionReceipts'],
  ] as const)('%s tells %s', async (name, method) => {
    const { url } = await serve([method, { transaction_hash: '0x5' }])
    await using client = createClient({ url, apis: { starknet: starknet({ version: '0.9' }) } })
    const subscribe = client.starknet[name] as (params: unknown) => ReturnType<typeof client.starknet.subscribeEvents>
    await using events = await subscribe(name === 'subscribeTransactionStatus' ? { transaction_hash: '0x5' } : {})
    expect((await events.next()).value).toEqual({ method, result: { transaction_hash: '0x5' } })
  })

  it('is refused with wrong params, in a version without it, over HTTP, and as a call', async () => {
    const { url, calls } = await serve()
    await using client = createClient({ url, apis: { starknet: starknet({ version: '0.8' }) } })
    const wrong = client.starknet.subscribeTransactionStatus({ transaction_hash: 'mine' as '0x' })
    await expect(wrong).rejects.toThrow(SchemaError)
    const late = client.starknet as unknown as { subscribeNewTransactions(): Promise<unknown> }
    await expect(late.subscribeNewTransactions()).rejects.toThrow('not in version 0.8')
    const call = client.requestUnchecked('starknet_subscribeNewHeads', [])
    await expect(call).rejects.toMatchObject({ code: 'unavailable', delivery: 'not_sent' })
    expect(calls).toEqual([])
    await using overHttp = createClient({ url: 'http://127.0.0.1:9', apis: { starknet: starknet({ version: '0.8' }) } })
    await expect(overHttp.starknet.subscribeNewHeads()).rejects.toThrow('needs a WebSocket')
  })
})
