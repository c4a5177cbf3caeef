import { execFile } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { createContext, type RpcSink } from '@wayleave/jsonrpc-core'
import { createWebSocketTransport } from '@wayleave/jsonrpc-core/websocket'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FakeSocket } from './fake-socket.ts'
import { closedPort, eventually } from './real-server.ts'
import { call } from './support.ts'
import { answer, listen, outcome, peer } from './websocket-peer.ts'

const source = new URL('../src/index.ts', import.meta.url).href
const webSocketSource = new URL('../src/websocket.ts', import.meta.url).href

/** Runs a program in a Node of its own, and gives what it prints. It must end by itself. */
async function run(program: string): Promise<string> {
  const code = `
    import * as rpc from ${JSON.stringify(source)}
    import { createWebSocketTransport, heartbeat, resubscribe } from ${JSON.stringify(webSocketSource)}
    const facts = { eth_subscribe: { unsubscribe: 'eth_unsubscribe', event: 'eth_subscription' } }
    const log = []
    const note = (what) => (thing) => log.push(what + ' ' + (thing?.code ?? thing))
    ${program}
    await new Promise((resolve) => setImmediate(resolve))
    const kinds = ['Timeout', 'TCPSocketWrap', 'ConnectWrap', 'ShutdownWrap']
    console.log(JSON.stringify([...log, ...process.getActiveResourcesInfo().filter((kind) => kinds.includes(kind))]))`
  const args = ['--conditions=@wayleave/source', '--input-type=module', '--eval', code]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 10_000 })
  return stdout.trim()
}

describe('a program that closes its transport,', () => {
  it('ends and has no timer and no socket left', async () => {
    const { url } = await servePeer()
    const program = `
      {
        const watch = heartbeat({ method: 'beat', intervalMs: 60_000 })
        await using transport = createWebSocketTransport({ url: ${JSON.stringify(url)}, subscriptions: facts, watch })
        const replay = resubscribe()
        const handler = replay(transport.handler)
        await rpc.subscribe(handler, 'eth_subscribe', [], { onEvent() {}, onEnd: note('kept') })
        await rpc.subscribe(transport.handler, 'eth_subscribe', [], { onEvent() {}, onEnd: note('plain') })
        rpc.createRpcClient(handler).requestUnchecked('hang').catch(note('pending'))
        await new Promise((resolve) => setTimeout(resolve, 20))
      }`
    expect(await run(program)).toBe('["kept undefined","plain undefined","pending aborted"]')
  })

  it('or whose peer was never there ends by itself', async () => {
    const gone = `ws://127.0.0.1:${await closedPort()}`
    const program = `
      const transport = createWebSocketTransport({ url: ${JSON.stringify(gone)} })
      await rpc.createRpcClient(transport.handler).requestUnchecked('m').catch(note('call'))`
    expect(await run(program)).toMatch(/^\["call connect"/)
  })
})

describe('close', () => {
  it('takes a second at most where the peer does not answer it, and then cuts the connection off', async () => {
    const clock = new FakeClock()
    const socket = new DeafSocket()
    const transport = createWebSocketTransport({ url: 'ws://peer', clock, connect: () => socket })
    const pending = outcome(transport.handler(call('m'), createContext()))
    socket.open()
    let closed = false
    const closing = transport.close().then(() => (closed = true))
    expect(await pending).toBe('aborted unknown')
    clock.advance(999)
    await new Promise((resolve) => setImmediate(resolve))
    expect([closed, clock.timers, socket.isTerminated]).toEqual([false, 1, false])
    clock.advance(1)
    await closing
    expect([clock.timers, socket.isTerminated]).toEqual([0, true])
  })

  it('is fulfilled when the peer has answered, and may be repeated', async () => {
    let code = 0
    const { ask, transport } = await peer((socket, { id }) => {
      socket.on('close', (said) => (code = said))
      socket.send(answer(id))
    })
    await outcome(ask())
    await Promise.all([transport.close(), transport.close()])
    expect(code).toBe(1000)
    await transport.close()
  })

  it('of a transport that was not used opens nothing', async () => {
    const transport = createWebSocketTransport({ url: 'ws://peer', connect: () => expect.unreachable() })
    await transport.close()
    expect(await outcome(transport.handler(call('m'), createContext()))).toBe('aborted not_sent')
  })

  it('by a subscriber who hears of the drop stays closed', async () => {
    const scene = await peer((socket, { id, method }) =>
      method === 'drop' ? socket.terminate() : socket.send(answer(id, '"0x1"')),
    )
    const log: string[] = []
    const response = await scene.ask('eth_subscribe')
    const sink: RpcSink = { ...listen(log), end: () => void scene.transport.close() }
    if (response.error === undefined) response.subscription!.open(sink)
    await outcome(scene.ask('drop'))
    await scene.transport.close()
    await eventually(() => scene.server.clients.size === 0, 'a connection is open')
    expect(await outcome(scene.ask())).toBe('aborted not_sent')
  })
})

/** A socket whose peer never answers the close. */
class DeafSocket extends FakeSocket {
  isTerminated = false

  override close(): void {}

  terminate(): void {
    this.isTerminated = true
  }
}

/** A peer for a program in another process. */
async function servePeer(): Promise<{ readonly url: string }> {
  let count = 0
  const { server } = await peer((socket, { id, method }) => {
    if (method !== 'hang') socket.send(answer(id, `"0x${++count}"`))
  })
  onTestFinished(() => {
    for (const client of server.clients) client.terminate()
  })
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
