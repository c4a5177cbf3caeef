import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { type RawJson, rawJsonFromText } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { createEventWriter, type EventReader } from '../../../src/rpc/websocket/event-writer.ts'

const prefix = '{"params":{"subscription":"0x1","result":'
const json = (text: string): RawJson => rawJsonFromText(JSON.stringify(text))

/** A writer whose turns the test takes, and connections that write down what they are given. */
function scene(capacity = Number.POSITIVE_INFINITY) {
  const turns: (() => void)[] = []
  const urgent = new Set<RawJson>()
  const writer = createEventWriter(
    (run) => void turns.push(run),
    (result) => urgent.has(result),
  )
  const account = {
    held: 0,
    take(bytes: number) {
      if (account.held + bytes > capacity) return false
      account.held += bytes
      return true
    },
    give: (bytes: number) => void (account.held -= bytes),
  }
  const order: string[] = []
  function reader(name: string, takes = true) {
    const writes: Buffer[] = []
    const waiting: (() => void)[] = []
    const settle = (bytes: readonly Buffer[], done: () => void): void => {
      order.push(name)
      writes.push(Buffer.concat(bytes))
      if (takes) done()
      else waiting.push(done)
    }
    const socket = new Duplex({
      read() {},
      write: (chunk: Buffer, _encoding, done) => settle([chunk], done),
      writev: (chunks, done) =>
        settle(
          chunks.map(({ chunk }) => chunk as Buffer),
          done,
        ),
    })
    const own: EventReader = { socket, account, unwritten: 0, isFirst: false }
    return { own, socket, writes, waiting }
  }
  const turn = (): void => {
    for (const run of turns.splice(0)) run()
  }
  return { writer, urgent, account, reader, turn, turns, order }
}

/** The messages that a client of `ws` reads from bytes. */
async function readBy(bytes: Buffer): Promise<readonly string[]> {
  const messages: string[] = []
  const server = createServer((socket: Socket) => {
    socket.once('data', (head) => {
      const key = /sec-websocket-key: (\S+)/i.exec(String(head))![1]!
      void accept(key).then((answer) => socket.write(Buffer.concat([Buffer.from(answer), bytes])))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as { port: number }).port}`)
  onTestFinished(() => {
    client.terminate()
    server.close()
  })
  client.on('message', (data, isBinary) => messages.push(isBinary ? 'binary' : String(data)))
  await once(client, 'open')
  // All that was sent together has been read when the last message has.
  while (messages.at(-1)?.includes('the last') !== true) await once(client, 'message')
  return messages
}

async function accept(key: string): Promise<string> {
  const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(key + guid))
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
  return [...lines, `Sec-WebSocket-Accept: ${Buffer.from(digest).toString('base64')}`, '', ''].join('\r\n')
}

describe('the writer of events', () => {
  it('prints text messages of every length as one frame each', async () => {
    const { writer, reader, turn } = scene()
    const { own, writes } = reader('a')
    const results = [0, 50, 90, 4_000, 4_100, 65_000, 70_000].map((length) => 'x'.repeat(length))
    results.push('é'.repeat(60), '€'.repeat(5_000), 'the last')
    for (const result of results) expect(writer.write(own, prefix, json(result))).toBe(true)
    turn()
    expect(await readBy(Buffer.concat(writes))).toEqual(results.map((result) => `${prefix}"${result}"}}`))
  })

  it('writes to each connection once a turn, however many events it is told', () => {
    const { writer, reader, turn, account } = scene()
    const [a, b] = [reader('a'), reader('b')]
    for (let i = 0; i < 10; i++) for (const { own } of [a, b]) writer.write(own, prefix, json(`event ${i}`))
    expect([a.writes, b.writes]).toEqual([[], []])
    expect(account.held).toBeGreaterThan(0)
    turn()
    expect([a.writes.length, b.writes.length]).toEqual([1, 1])
    expect(String(a.writes[0]).match(/event \d/g)).toEqual(Array.from({ length: 10 }, (_, i) => `event ${i}`))
    expect(account.held).toBe(0)
  })

  it('leaves the event loop to others after some connections, first told first', () => {
    const { writer, reader, turn, turns, order } = scene()
    const names = Array.from({ length: 300 }, (_, i) => `${i}`)
    for (const name of names) writer.write(reader(name).own, prefix, json('a head'))
    const counts: number[] = []
    while (turns.length > 0) {
      expect(turns.length).toBe(1)
      turn()
      counts.push(order.length)
    }
    expect(counts).toEqual([128, 256, 300])
    expect(order).toEqual(names)
  })

  it('writes to those who are told what is urgent before those who waited already, and each connection in order', () => {
    const { writer, urgent, reader, turn, turns, order } = scene()
    const head = json('a head')
    urgent.add(head)
    const all = Array.from({ length: 200 }, (_, i) => reader(`${i}`))
    for (const { own } of all) writer.write(own, prefix, json('a hash'))
    // Some of them waited, and some have been written to.
    turn()
    const [begun, late] = [all.slice(0, 150), reader('late')]
    for (const { own } of [...begun, late]) for (let i = 0; i < 2; i++) writer.write(own, prefix, head)
    order.length = 0
    while (turns.length > 0) turn()
    expect(order).toEqual([...begun.map((_, i) => `${i}`), 'late', ...all.slice(150).map((_, i) => `${150 + i}`)])
    const reported = String(Buffer.concat(all[149]!.writes))
    expect(reported.match(/a hash|a head/g)).toEqual(['a hash', 'a head', 'a head'])
  })

  it('encodes a long result once for all who are told it', () => {
    const { writer, reader, turn } = scene()
    const result = rawJsonFromText(`"${'x'.repeat(10_000)}"`)
    const all = Array.from({ length: 50 }, (_, i) => reader(`${i}`))
    const chunks = new Set<ArrayBufferLike>()
    for (const { own, socket } of all) {
      const write = socket.write.bind(socket)
      socket.write = ((chunk: Buffer, ...rest: never[]) => {
        if (chunk.byteLength >= 10_000) chunks.add(chunk.buffer)
        return write(chunk, ...rest)
      }) as typeof socket.write
      writer.write(own, prefix, result)
    }
    turn()
    expect(chunks.size).toBe(1)
    expect(all.every(({ writes }) => writes[0]!.byteLength > 10_000)).toBe(true)
  })

  it('holds the bytes of a connection that does not take them until it has', async () => {
    const { writer, reader, turn, account } = scene()
    const { own, waiting } = reader('slow', false)
    writer.write(own, prefix, json('one'))
    writer.write(own, prefix, json('two'))
    const { held } = account
    turn()
    expect(account.held).toBe(held)
    for (let i = 0; i < 2; i++) {
      while (waiting.length > 0) waiting.shift()!()
      await new Promise(setImmediate)
    }
    expect(account.held).toBe(0)
  })

  it('gives the bytes of a connection back that is gone', () => {
    const { writer, reader, turn, account } = scene()
    const { own, socket, writes } = reader('gone')
    writer.write(own, prefix, json('one'))
    socket.destroy()
    turn()
    expect([account.held, writes]).toEqual([0, []])
  })

  it('refuses what the account cannot hold, and writes what it took before', () => {
    const { writer, reader, turn, account } = scene(200)
    const { own, writes } = reader('a')
    expect(writer.write(own, prefix, json('one'))).toBe(true)
    expect(writer.write(own, prefix, json('x'.repeat(200)))).toBe(false)
    turn()
    expect(String(writes[0])).toContain('"one"')
    expect([writes.length, account.held]).toEqual([1, 0])
  })

  it('writes at once what has grown long, and what is flushed', () => {
    const { writer, reader, turn } = scene()
    const { own, writes } = reader('a')
    for (let i = 0; i < 20; i++) writer.write(own, prefix, json('x'.repeat(4_000)))
    expect(writes).toHaveLength(1)
    writer.flush(own)
    expect(writes).toHaveLength(2)
    turn()
    expect(writes).toHaveLength(2)
  })
})
