/* oxlint-disable eslint/no-underscore-dangle -- the names that node:stream has for what a stream implements */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { joinWrites } from '../../src/node/join-writes.ts'

/** Opens a connection whose writes are joined, and the bytes that come at its other end. */
async function open(): Promise<{ readonly socket: Socket; readonly received: () => Promise<Buffer> }> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  const [other] = (await once(server, 'connection')) as [Socket]
  const chunks: Buffer[] = []
  other.on('data', (chunk: Buffer) => chunks.push(chunk))
  joinWrites(socket)
  const received = async (): Promise<Buffer> => {
    socket.end()
    await once(other, 'end')
    return Buffer.concat(chunks)
  }
  return { socket, received }
}

test('a short head and body are one write, and the bytes are those that were given', async () => {
  const { socket, received } = await open()
  const writes: unknown[] = []
  const write = socket._write.bind(socket)
  socket._write = (chunk, encoding, callback) => {
    writes.push(encoding)
    write(chunk, encoding, callback)
  }
  const body = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
  const done: string[] = []
  socket.cork()
  socket.write('head\r\n', 'latin1', () => done.push('head'))
  socket.write(body, () => done.push('body'))
  socket.uncork()
  expect(await received()).toEqual(Buffer.concat([Buffer.from('head\r\n'), body]))
  expect(writes).toEqual(['latin1'])
  expect(done).toEqual(['head', 'body'])
})

test.each([
  ['a long body', ['head', Buffer.alloc(20_000, 0x78)]],
  ['a text beyond latin1', ['hé', Buffer.from('body')]],
])('%s goes out as it did', async (_, parts) => {
  const { socket, received } = await open()
  socket.cork()
  for (const part of parts) socket.write(part)
  socket.uncork()
  expect(await received()).toEqual(Buffer.concat(parts.map((part) => Buffer.from(part))))
})

test('a connection that ends in the middle tells each of the writes', async () => {
  const { socket } = await open()
  socket.on('error', () => {})
  const failed: (Error | null | undefined)[] = []
  socket.destroy()
  socket.write('head', 'latin1', (error) => failed.push(error))
  socket.write(Buffer.from('body'), (error) => failed.push(error))
  await new Promise((resolve) => setImmediate(resolve))
  expect(failed.map((error) => error instanceof Error)).toEqual([true, true])
})
