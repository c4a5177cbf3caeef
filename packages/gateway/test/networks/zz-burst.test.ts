import type { AddressInfo } from 'node:net'
import { createLog, startGateway } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { openSocket } from '../web-socket-client.ts'
import { frame, key, until } from '../support.ts'

async function node(onSub: (send: (t: string) => void, id: number) => void, idOf: (n: number) => string = (n) => String(n), version='0.8.1') {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await new Promise((r) => server.once('listening', r))
  let n = 0
  const calls: any[] = []
  server.on('connection', (s) => s.on('message', (d: Buffer) => {
    const c = JSON.parse(d.toString()); calls.push(c)
    if (c.method === 'starknet_specVersion') return s.send(JSON.stringify({ jsonrpc: '2.0', id: c.id, result: version }))
    if (c.method.startsWith('starknet_subscribe')) {
      const id = ++n
      ;(s as any)._socket.cork()
      s.send(`{"jsonrpc":"2.0","id":${c.id},"result":${idOf(id)}}`)
      onSub((t) => s.send(t), id)
      ;(s as any)._socket.uncork()
      return
    }
    s.send(JSON.stringify({ jsonrpc: '2.0', id: c.id, result: true }))
  }))
  onTestFinished(() => { for (const c of server.clients) c.terminate(); server.close() })
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
}
async function gw(urls: string[]) {
  const g = await startGateway({ listen: { rpc: '127.0.0.1:0' }, networks: { sn: { kind: 'starknet', chainId: 'SN_MAIN', upstreams: urls } }, projects: [{ name: 'open', keys: [{ key }] }] }, { log: createLog({ level: 'silent' }) })
  onTestFinished(() => g.close(0))
  return g
}
const ev = (id: string, i: number, pad='') => `{"jsonrpc":"2.0","method":"starknet_subscriptionEvents","params":{"subscription_id":${id},"result":{"i":${i},"p":"${pad}"}}}`
it.each([[500,0],[2000,0],[20000,0],[5000,600]])('burst %d %d', async (count,pad) => {
  const nd = await node((send, id) => { for (let i = 0; i < count; i++) send(ev(String(id), i, 'x'.repeat(pad))) })
  const g = await gw([nd.url])
  const s = await openSocket(`${g.ws}/ws/v3/${key}/rpc/v0_8`)
  s.send(frame('starknet_subscribeEvents', {}))
  await until(() => s.messages.length > count || s.closed !== undefined)
  console.log(count, pad, s.messages.length, s.closed)
})
it.each(['12345678901234567891','"a\\u0062"','0',' 7 ','"x','1x','-1','null','[1]','{"a":1}','"\\ud800"','1.50'])('id %s', async (id) => {
  const nd = await node((send) => { send(ev(id, 1)); send(ev(' '+id+' ', 2)) }, () => id)
  const g = await gw([nd.url])
  const s = await openSocket(`${g.ws}/ws/v3/${key}/rpc/v0_8`)
  s.send(frame('starknet_subscribeEvents', {}))
  await until(() => s.messages.length > 2 || s.closed !== undefined || s.messages[0]?.includes('error')===true)
  const before=[...s.messages]
  s.send(frame('starknet_unsubscribe', ['1']))
  await until(() => s.messages.length > before.length)
  await new Promise(r=>setTimeout(r,30))
  console.log(id, before, s.messages.slice(before.length), JSON.stringify(nd.calls.at(-1)))
})
