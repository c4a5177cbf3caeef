/* oxlint-disable eslint/no-underscore-dangle -- the names that node:stream has for what a stream implements */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createTurnWrites } from '../../src/listen/turn-writes.ts'

const writeAtTurnEnd = createTurnWrites((run) => void setImmediate(run))

interface Opened {
  readonly socket: Socket
  /** The lengths of the writes that reached the system, in their order. */
  readonly writes: readonly number[]
  /** All bytes that came at the other end, once it has ended. */
  readonly received: Promise<string>
}

async function open(): Promise<Opened> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  const [[other]] = (await Promise.all([once(server, 'connection'), once(socket, 'connect')])) as [[Socket], unknown]
  const chunks: Buffer[] = []
  other.on('data', (chunk: Buffer) => chunks.push(chunk))
  const received = once(other, 'close').then(() => Buffer.concat(chunks).toString())
  const writes: number[] = []
  const { _write: write, _writev: writeAll } = socket
  socket._write = (chunk: string | Uint8Array, encoding, callback) => {
    writes.push(chunk.length)
    write.call(socket, chunk, encoding, callback)
  }
  socket._writev = (parts, callback) => {
    writes.push(parts.reduce((sum, { chunk }) => sum + (chunk as string | Uint8Array).length, 0))
    writeAll!.call(socket, parts, callback)
  }
  writeAtTurnEnd(socket)
  return { socket, writes, received }
}

test('what connections write in a turn goes out at its end, in the order of the connections', async () => {
  const [first, second] = [await open(), await open()]
  await turn()
  const order: string[] = []
  first.socket.write('one', () => order.push('first'))
  second.socket.write('two', () => order.push('second'))
  expect([first.writes, second.writes]).toEqual([[], []])
  await turn()
  expect([first.writes, second.writes]).toEqual([[3], [3]])
  first.socket.end()
  second.socket.end()
  expect(await Promise.all([first.received, second.received])).toEqual(['one', 'two'])
  expect(order).toEqual(['first', 'second'])
})

test('the writes of one connection in a turn are two at most, and keep their order', async () => {
  const { socket, writes, received } = await open()
  await turn()
  for (const part of ['a', 'b', 'c', 'd']) socket.write(part)
  socket.end()
  expect(await received).toBe('abcd')
  expect(writes).toEqual([1, 3])
})

test('a long write goes out at once', async () => {
  const { socket, writes } = await open()
  socket.write(Buffer.alloc(20_000))
  expect(writes).toEqual([20_000])
})

test('a connection that is destroyed has written before', async () => {
  const { socket, received } = await open()
  await turn()
  socket.write('the reason')
  socket.destroy()
  expect(await received).toBe('the reason')
})

test('a callback of a write that throws keeps no other connection from its write', () => {
  const turns: (() => void)[] = []
  const prepare = createTurnWrites((run) => void turns.push(run))
  const written: string[] = []
  const openStream = (): Writable => {
    const stream = new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, callback) {
        written.push(chunk)
        callback()
      },
    })
    prepare(stream as Socket)
    return stream
  }
  const [first, second, third] = [openStream(), openStream(), openStream()]
  first.write('1')
  second.write('2', () => {
    throw new Error('a callback')
  })
  third.write('3')
  expect(turns.shift()).toThrow('a callback')
  expect(written).toEqual(['1', '2'])
  turns.shift()!()
  expect(written).toEqual(['1', '2', '3'])
})
