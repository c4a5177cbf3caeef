import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connectSocket } from '@wayleave/jsonrpc-core/websocket'
import { createTurns, type Turns } from '@wayleave/upstream'
import { expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { readInTurns } from '../../src/endpoints/read-in-turns.ts'
import { until } from '../support.ts'

const messages = 8_000
const kilobyte = 'x'.repeat(1_024)

/** Reads 8 MB of messages that are sent at once; returns the most that came in one turn of the event loop. */
async function mostInOneTurn(connect: typeof connectSocket): Promise<number> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket) => {
    for (let i = 0; i < messages; i++) socket.send(kilobyte)
  })
  await once(server, 'listening')
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  let most = 0
  let inTurn = 0
  let all = 0
  let isCounting = false
  const socket = connect(url, { headers: {}, maxMessageBytes: 1_000_000 })
  socket.addEventListener('message', () => {
    all++
    inTurn++
    most = Math.max(most, inTurn)
    if (isCounting) return
    isCounting = true
    setImmediate(() => {
      isCounting = false
      inTurn = 0
    })
  })
  await until(() => all === messages)
  socket.close()
  server.close()
  return most
}

const createReadingTurns = (): Turns => createTurns({ nextTurn: (run) => void setImmediate(run), perTurn: 16 })

test('what comes at once is read a little in each turn, and all of it', async () => {
  // A read of the socket is 64 kB, and one more may be under way.
  expect(await mostInOneTurn(readInTurns(connectSocket, createReadingTurns()))).toBeLessThanOrEqual(192)
})

test('a socket that cannot pause is read as it comes', async () => {
  const bare: typeof connectSocket = (url, options) => {
    const socket = connectSocket(url, options)
    return new Proxy(socket, {
      get(target, name) {
        if (name === 'pause' || name === 'resume') return undefined
        const value = Reflect.get(target, name) as unknown
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }
  expect(await mostInOneTurn(readInTurns(bare, createReadingTurns()))).toBeGreaterThan(0)
})
