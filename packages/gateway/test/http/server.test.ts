import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { ListenError } from '@wayleave/gateway'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'
import { createCloser, listen, splitAddress } from '@wayleave/http-server/internal/listen/server'
import { rejectionOf } from '../support.ts'

const nothing = (): void => {}

describe('an address', () => {
  it.each([
    ['127.0.0.1:8545', '127.0.0.1', 8545],
    ['[::1]:0', '::1', 0],
    ['localhost:65535', 'localhost', 65535],
  ])('%s has a host and a port', (address, host, port) => {
    expect(splitAddress(address)).toEqual({ host, port })
  })
})

describe('listening', () => {
  it('tells the port that was taken', async () => {
    const server = createServer()
    expect(await listen(server, '127.0.0.1:0', 'JSON-RPC', nothing)).toMatch(/^127\.0\.0\.1:[1-9]\d+$/)
    server.close()
  })

  it('on a port in use says in a sentence what to do', async () => {
    const owner = createServer()
    const address = await listen(owner, '127.0.0.1:0', 'JSON-RPC', nothing)
    const why = await rejectionOf(listen(createServer(), address, 'The admin listener', nothing))
    expect(why).toBeInstanceOf(ListenError)
    expect(why.message).toBe(
      `The admin listener cannot listen on ${address}: the port is in use; stop its owner or choose another port (0 takes any free one).`,
    )
    owner.close()
  })

  it('on an address of another machine says so', async () => {
    const why = await rejectionOf(listen(createServer(), '192.0.2.1:0', 'JSON-RPC', nothing))
    expect(why.message).toBe('JSON-RPC cannot listen on 192.0.2.1:0: this machine has no such address.')
  })

  it('on a host without an address says so', async () => {
    const why = await rejectionOf(listen(createServer(), 'nowhere.invalid:0', 'JSON-RPC', nothing))
    expect(why).toBeInstanceOf(ListenError)
    expect(why.message).toMatch(/^JSON-RPC cannot listen on nowhere\.invalid:0: E\w+\.$/)
  })

  it('survives connections that cannot be accepted later, and tells of each', async () => {
    const server = createServer()
    const heard: Error[] = []
    await listen(server, '127.0.0.1:0', 'JSON-RPC', (error) => heard.push(error))
    server.emit('error', new Error('accept EMFILE'))
    server.emit('error', new Error('accept EMFILE'))
    expect(heard.length).toBe(2)
    server.close()
  })
})

describe('closing with time for calls on their way', () => {
  /** A server that answers each request, and what its idle connection gets for a call. */
  async function open(lingerMs: number) {
    const clock = new FakeClock()
    const server = createServer((_request, response) => response.end('ok'))
    const close = createCloser(server, { clock, lingerMs })
    await listen(server, '127.0.0.1:0', 'JSON-RPC', nothing)
    const { port } = server.address() as AddressInfo
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    async function call(): Promise<string | undefined> {
      const [response] = (await once(get({ port, host: '127.0.0.1', agent }), 'response')) as [IncomingMessage]
      await once(response.resume(), 'end')
      return response.headers.connection
    }
    return { clock, close, call, port }
  }

  it('answers over idle connections, then tells their callers to leave, and closes what is idle at its end', async () => {
    const { clock, close, call } = await open(200)
    const idle = await open(200)
    for (const each of [call, idle.call]) expect(await each()).toBe('keep-alive')
    const closed = close()
    const idleClosed = idle.close()
    expect(await call()).toBe('keep-alive')
    for (const each of [clock, idle.clock]) each.advance(100)
    expect(await call()).toBe('close')
    await closed
    expect(clock.timers).toBe(0)
    idle.clock.advance(100)
    await idleClosed
  })

  it('answers a connection that came before and has brought nothing yet, and closes one that never does at its end', async () => {
    const { clock, close, call, port } = await open(200)
    const [late, silent] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
    const texts = Promise.all([late, silent].map((socket) => text(socket)))
    await Promise.all([late, silent].map((socket) => once(socket, 'connect')))
    // Connections are taken in their order.
    await call()
    const closed = close()
    late.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await expect.poll(() => late.bytesRead).toBeGreaterThan(0)
    clock.advance(200)
    await closed
    expect(await texts).toEqual([expect.stringMatching(/^HTTP\/1\.1 200 OK\r\n[^]*ok/), ''])
  })

  it('takes no new connection meanwhile', async () => {
    const { close, call } = await open(200)
    const closed = close()
    await expect(call()).rejects.toThrow(/ECONNREFUSED/)
    await closed
  })
})
