import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningGateway } from '@wayleave/gateway'
import { describe, expect, it } from 'vitest'
import { httpUrl, startGatewayBefore, wsUrl } from './support/gateway.ts'
import { call, post } from './support/http.ts'
import { answer, answerSocket, hang, type HttpScript, type Peer, startPeer } from './support/peer.ts'
import { openSocket } from './support/socket.ts'
import { anHour, until } from './support/wait.ts'

const read = call('eth_gasPrice')
const answered = '{"jsonrpc":"2.0","id":1,"result":"0x9"}'

interface Held {
  readonly script: HttpScript
  /** Answers the calls that came. */
  release(): void
}

function hold(): Held {
  const answers: (() => void)[] = []
  return {
    script: (peerCall) => void answers.push(() => answer('0x9')(peerCall)),
    release() {
      for (const give of answers.splice(0)) give()
    },
  }
}

const inFlight = (peer: Peer): Promise<void> => until('the call to be in flight', () => peer.calls.length === 1)

async function isRefused({ rpc }: RunningGateway): Promise<boolean> {
  const { hostname, port } = new URL(rpc)
  const socket = connect(Number(port), hostname)
  const refused = await Promise.race([
    once(socket, 'connect').then(() => false),
    once(socket, 'error').then(() => true),
  ]).catch(() => true)
  socket.destroy()
  return refused
}

describe('close()', () => {
  it('lets a call in flight have its answer, and takes no more connections', async () => {
    const held = hold()
    await using peer = await startPeer(held.script)
    const gateway = await startGatewayBefore([peer.httpUrl])
    const reply = post(httpUrl(gateway), read)
    await inFlight(peer)
    const closing = gateway.close(anHour)
    expect(await isRefused(gateway)).toBe(true)
    held.release()
    expect(await reply).toMatchObject({ status: 200, text: answered })
    await closing
  })

  it('is not held by a connection that is kept alive after its call in flight was answered', async () => {
    const held = hold()
    await using peer = await startPeer(held.script)
    const gateway = await startGatewayBefore([peer.httpUrl])
    const agent = new Agent({ keepAlive: true })
    const reply = post(httpUrl(gateway), read, { agent })
    await inFlight(peer)
    const closing = gateway.close(anHour)
    held.release()
    expect(await reply).toMatchObject({ status: 200, text: answered })
    await closing
    agent.destroy()
  })

  it('is not held by an idle connection that is kept alive', async () => {
    await using peer = await startPeer(answer('0x9'))
    const gateway = await startGatewayBefore([peer.httpUrl])
    const agent = new Agent({ keepAlive: true })
    await post(httpUrl(gateway), read, { agent })
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1)
    await gateway.close(anHour)
    agent.destroy()
  })

  it('is held by a connection that has sent nothing for no longer than its grace', async () => {
    const gateway = await startGatewayBefore(['http://127.0.0.1:1'])
    const { hostname, port } = new URL(gateway.rpc)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    await once(socket, 'connect')
    await sleep(50)
    const ended = once(socket.resume(), 'close')
    await gateway.close(500)
    await ended
    expect(await isRefused(gateway)).toBe(true)
  })

  it('closes WebSockets with 1012', async () => {
    await using peer = await startPeer()
    const gateway = await startGatewayBefore([peer.httpUrl])
    const sockets = await Promise.all([openSocket(wsUrl(gateway)), openSocket(wsUrl(gateway))])
    await gateway.close(anHour)
    for (const { closed } of sockets) expect(await closed).toMatchObject({ code: 1012 })
  })

  it('lets a call in flight over WebSocket have its answer before 1012', async () => {
    const held = hold()
    await using peer = await startPeer(held.script)
    const gateway = await startGatewayBefore([peer.httpUrl])
    await using socket = await openSocket(wsUrl(gateway))
    const reply = socket.ask('eth_gasPrice').catch((why: Error) => why.message)
    await inFlight(peer)
    const closing = gateway.close(anHour)
    held.release()
    expect(await reply).toMatchObject({ result: '0x9' })
    expect(await socket.closed).toMatchObject({ code: 1012 })
    await closing
  })

  it('ends what is still in flight after its grace', async () => {
    await using peer = await startPeer(hang)
    const gateway = await startGatewayBefore([peer.httpUrl])
    const reply = post(httpUrl(gateway), read).then(
      ({ status }) => status,
      () => 'broken',
    )
    await inFlight(peer)
    let isSoon = true
    setTimeout(() => (isSoon = false), 300)
    await gateway.close(400)
    expect(isSoon).toBe(false)
    expect([502, 503, 'broken']).toContain(await reply)
  })

  it('ends a WebSocket that does not answer the close within its grace', async () => {
    await using peer = await startPeer()
    const gateway = await startGatewayBefore([peer.httpUrl])
    await using socket = await openSocket(wsUrl(gateway))
    socket.socket.pause()
    await gateway.close(400)
    socket.socket.resume()
    // It heard the close, and was cut before it could answer.
    expect(await socket.closed).toMatchObject({ code: 1012 })
    expect(await isRefused(gateway)).toBe(true)
  })

  it('ends the connections to the upstreams', async () => {
    await using peer = await startPeer(answer('0x9'), answerSocket('0x9'))
    const gateway = await startGatewayBefore([peer.wsUrl])
    await post(httpUrl(gateway), read)
    expect(peer.sockets.size).toBe(1)
    await gateway.close()
    await until('the upstream to be left', () => peer.sockets.size === 0)
  })

  it('may be called again', async () => {
    const gateway = await startGatewayBefore(['http://127.0.0.1:1'])
    await Promise.all([gateway.close(), gateway.close()])
    await gateway.close()
    expect(await isRefused(gateway)).toBe(true)
  })
})

describe('drain()', () => {
  const config = (delayMs: number) => ({ shutdown: { delayMs } })

  it('is not ready at once, and still serves calls and sockets, whose connections end with their answers', async () => {
    await using peer = await startPeer(answer('0x9'))
    await using gateway = await startGatewayBefore([peer.httpUrl], config(anHour))
    const agent = new Agent({ keepAlive: true })
    const before = await post(httpUrl(gateway), read, { agent })
    expect(before.headers['connection']).toBe('keep-alive')
    const draining = gateway.drain()
    expect(await fetch(`${gateway.rpc}/readyz`)).toMatchObject({ status: 503 })
    expect(await fetch(`${gateway.admin}/readyz`)).toMatchObject({ status: 503 })
    // The connection from before, and a new one.
    for (const way of [agent, undefined]) {
      const reply = await post(httpUrl(gateway), read, way === undefined ? {} : { agent: way })
      expect(reply).toMatchObject({ status: 200, text: answered, headers: { connection: 'close' } })
    }
    await using socket = await openSocket(wsUrl(gateway))
    expect(await socket.ask('eth_gasPrice')).toMatchObject({ result: '0x9' })
    await gateway.close()
    await draining
    expect(await socket.closed).toMatchObject({ code: 1012 })
    agent.destroy()
  })

  it('ends after shutdown.delayMs', async () => {
    await using gateway = await startGatewayBefore(['http://127.0.0.1:1'], config(20))
    await gateway.drain()
    expect(await isRefused(gateway)).toBe(false)
  })

  it('ends at once after close()', async () => {
    const gateway = await startGatewayBefore(['http://127.0.0.1:1'], config(anHour))
    await gateway.close()
    await gateway.drain()
  })
})

describe('a caller during drain()', () => {
  it('gets the answer to a call that was in flight when it began', async () => {
    const held = hold()
    await using peer = await startPeer(held.script)
    await using gateway = await startGatewayBefore([peer.httpUrl], { shutdown: { delayMs: anHour } })
    const reply = post(httpUrl(gateway), read)
    await inFlight(peer)
    void gateway.drain()
    held.release()
    expect(await reply).toMatchObject({ status: 200, text: answered })
  })

  it('who asks again and again on one connection is sent elsewhere with his first answer', async () => {
    await using peer = await startPeer(answer('0x9'))
    await using gateway = await startGatewayBefore([peer.httpUrl], { shutdown: { delayMs: anHour } })
    void gateway.drain()
    const { hostname, port } = new URL(gateway.rpc)
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.setEncoding('utf8').on('data', (part: string) => (text += part))
    const body = JSON.stringify(read)
    const path = new URL(httpUrl(gateway)).pathname
    const request = `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    socket.write(request.repeat(3))
    await once(socket, 'close')
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(1)
    expect(text).toMatch(/connection: close/i)
    // A pipelined call without an answer was not made.
    expect(peer.calls).toEqual(['eth_gasPrice'])
  })
})
