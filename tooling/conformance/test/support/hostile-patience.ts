import { setTimeout as sleep } from 'node:timers/promises'
import { answersIn, attack, closeAfter, frame, path, request, upgrade } from './hostile-connection.ts'
import type { HostileRow } from './hostile-http.ts'

const good = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'

/** Sends a beginning, then a piece every 50 ms for as long as it is let. */
const drip = (what: string, gets: string, begin: string, piece: string): HostileRow => [
  what,
  gets,
  async (origin) => {
    using connection = attack(origin)
    connection.send(begin)
    while (!connection.ended()) {
      if (piece !== '') connection.send(piece)
      await sleep(50)
    }
    return answersIn(await connection.end())
  },
]

/** Sends a beginning and ends its half of the connection. */
const halfOpen = (what: string, gets: string, begin: string | Uint8Array): HostileRow => [
  what,
  gets,
  async (origin) => {
    using connection = attack(origin)
    connection.send(begin)
    connection.socket.end()
    return answersIn(await connection.end())
  },
]

/** Sends a beginning on each of 100 connections, and resets them. */
const reset = (what: string, begin: string | Uint8Array): HostileRow => [
  what,
  'nothing',
  async (origin) => {
    const connections = Array.from({ length: 100 }, () => attack(origin))
    for (const connection of connections) connection.send(begin)
    await sleep(20)
    for (const connection of connections) connection.socket.resetAndDestroy()
    return 'nothing'
  },
]

const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\n`
const framed = (...frames: readonly Uint8Array[]): string =>
  upgrade() + Buffer.concat(frames.map((one) => Buffer.from(one))).toString('latin1')

/** What takes its time: the gateway of these tests gives a request 600 ms, and a ping 400. */
export const patient: readonly HostileRow[] = [
  drip('a connection, and then nothing', '408', '', ''),
  drip('a head that drips', '408', head, 'X'),
  drip('headers that drip', '408', head, 'X-A: b\r\n'),
  drip('a body that drips', '408', `${head}Content-Length: 100000\r\n\r\n`, ' '),
  drip('chunks that drip', '408', `${head}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'),
  drip('chunk extensions that drip', '408', `${head}Transfer-Encoding: chunked\r\n\r\n1;`, 'e'),
  drip('a body that is announced and never comes', '408', `${head}Content-Length: 100000\r\n\r\n`, ''),
  drip(
    'a body of a stranger that drips',
    '401',
    `${head.replace(path, '/v3/nobody')}Content-Length: 100000\r\n\r\n`,
    ' ',
  ),
  drip(
    'a body that waits for leave, and never comes',
    '100, 408',
    `${head}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`,
    '',
  ),
  drip(
    'a second request that drips',
    '200 result, 408',
    Buffer.from(request(good)).toString().replace('close', 'keep-alive') + head,
    'X',
  ),
  drip('a handshake that drips', '408', upgrade().slice(0, -2), 'X-A: b\r\n'),
  halfOpen('half a connection, and nothing', '', ''),
  halfOpen('half a connection after half a head', '400', head),
  halfOpen('half a connection after half a body', '400', `${head}Content-Length: 100\r\n\r\n{`),
  halfOpen('half a connection after half a chunk', '400', `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{`),
  halfOpen('half a connection after an upgrade', '101', upgrade()),
  reset('resets after half a head', head),
  reset('resets after half a body', `${head}Content-Length: 100\r\n\r\n{`),
  reset('resets after a call', request(good)),
  reset('resets after an upgrade', upgrade()),
  reset('resets after a message', framed(frame(1, good))),
  ['a socket that answers no ping', 'cut', (origin) => closeAfter(origin)],
  ['half a frame, and no pong', 'cut', (origin) => closeAfter(origin, frame(1, 'x', { claimed: 1_000 }))],
  ['a message without end, in fragments', 'cut', (origin) => closeAfter(origin, frame(1, '[', { fin: false }))],
  [
    'a socket that answers pings, and says nothing',
    'close 1001',
    async (origin) => {
      using connection = attack(origin)
      connection.socket.on('data', (text: string) => {
        // Over the text of a ping, which has no payload, a pong of the same.
        if (text.includes('\u0089\u0000')) connection.send(frame(10))
      })
      connection.send(upgrade())
      const text = await connection.end()
      return `close ${Buffer.from(text.slice(text.lastIndexOf('\u0088') + 2).slice(0, 2), 'latin1').readUInt16BE(0)}`
    },
  ],
  [
    '300 connections, and then nothing',
    '300 of 408',
    async (origin) => {
      const connections = Array.from({ length: 300 }, () => attack(origin))
      const answers = await Promise.all(connections.map(async (connection) => answersIn(await connection.end())))
      for (const { socket } of connections) socket.destroy()
      return `${answers.filter((answer) => answer === '408').length} of 408`
    },
  ],
]
