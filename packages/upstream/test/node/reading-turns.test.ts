import { createContext, type HttpReply } from '@wayleave/jsonrpc-core'
import { createTurns } from '@wayleave/upstream'
import { createUndiciPort } from '@wayleave/upstream/node'
import { expect, it } from 'vitest'
import { sleep, startServer } from '../support.ts'

const bytes = 2_000_000
const count = 32

/** Turns that come when the test says so. */
function manualTurns() {
  const due: (() => void)[] = []
  return {
    turns: createTurns({ nextTurn: (run) => void due.push(run), perTurn: 16 }),
    next: () => due.splice(0).forEach((run) => run()),
    /** Has turns come until a promise has settled. */
    async until<T>(promise: Promise<T>): Promise<T> {
      const timer = setInterval(() => due.splice(0).forEach((run) => run()), 1)
      try {
        return await promise
      } finally {
        clearInterval(timer)
      }
    },
    isDue: () => due.length > 0,
  }
}

/** Asks for long bodies side by side, and reads what comes. */
async function readAll(turns: ReturnType<typeof manualTurns>, read: { bytes: number }): Promise<Promise<number>[]> {
  const port = createUndiciPort({ turns: turns.turns })
  const server = await startServer((request, response) => {
    request.resume().on('end', () => response.end(Buffer.alloc(bytes, 'a')))
  })
  // An answer that waits to be read is all sent for the server, which would end its connection.
  server.server.keepAliveTimeout = 0
  const context = createContext({ timeoutMs: 30_000 })
  const lengths = Array.from({ length: count }, async () => {
    const { body } = await port.http({ url: server.url, headers: [], body: '{}' }, context)
    let length = 0
    for await (const chunk of body) {
      length += chunk.byteLength
      read.bytes += chunk.byteLength
    }
    return length
  })
  void Promise.allSettled(lengths).then(async () => {
    context.release()
    await port.close()
    await server[Symbol.asyncDispose]()
  })
  return lengths
}

async function lengthOf(body: HttpReply['body']): Promise<number> {
  let length = 0
  for await (const chunk of body) length += chunk.byteLength
  return length
}

/** Waits until nothing more comes. */
async function settled(read: { bytes: number }): Promise<number> {
  for (let before = -1; before !== read.bytes;) {
    before = read.bytes
    await sleep(100)
  }
  return read.bytes
}

it('long bodies that arrive side by side are read a part in each turn, and whole in the end', async () => {
  const turns = manualTurns()
  const read = { bytes: 0 }
  const lengths = await readAll(turns, read)
  // A turn's worth, and what each connection had read before it was its turn to wait.
  expect(await settled(read)).toBeLessThan(count * 300_000)
  const before = read.bytes
  for (let i = 0; i < 100; i++) {
    turns.next()
    await sleep(5)
  }
  const more = (await settled(read)) - before
  expect(more).toBeGreaterThan(0)
  expect(more).toBeLessThan(20_000_000)
  expect(await turns.until(Promise.all(lengths))).toEqual(Array.from({ length: count }, () => bytes))
})

it('a short body is read at once, while long ones wait', async () => {
  const turns = manualTurns()
  const read = { bytes: 0 }
  const lengths = await readAll(turns, read)
  await settled(read)
  await using server = await startServer((_request, response) => void response.end('b'.repeat(60_000)))
  const context = createContext({ timeoutMs: 15_000 })
  const port = createUndiciPort({ turns: turns.turns })
  const { body } = await port.http({ url: server.url, headers: [], body: '{}' }, context)
  expect(await lengthOf(body)).toBe(60_000)
  expect(turns.isDue()).toBe(true)
  await turns.until(Promise.all(lengths))
  context.release()
  await port.close()
})

it('a body whose reader leaves while it waits is no one else’s loss', async () => {
  const turns = manualTurns()
  const port = createUndiciPort({ turns: turns.turns })
  await using server = await startServer((request, response) => {
    request.resume().on('end', () => response.end(Buffer.alloc(bytes, 'a')))
  })
  const leaving = createContext({ timeoutMs: 15_000 })
  const asked = Array.from({ length: count }, () => port.http({ url: server.url, headers: [], body: '{}' }, leaving))
  const replies = await turns.until(Promise.all(asked))
  for (const { body } of replies) await (body as AsyncIterableIterator<Uint8Array>).return!()
  for (let i = 0; i < count; i++) turns.next()
  expect(turns.isDue()).toBe(false)
  const context = createContext({ timeoutMs: 15_000 })
  const { body } = await turns.until(port.http({ url: server.url, headers: [], body: '{}' }, context))
  expect(await turns.until(lengthOf(body))).toBe(bytes)
  context.release()
  leaving.release()
  await port.close()
})
