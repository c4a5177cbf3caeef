import { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { readFramesInTurns } from '../../../src/rpc/websocket/frames-in-turns.ts'

/** A socket whose receiver notes what it gets; each turn has to be given. `frames`: those in each chunk. */
function scene() {
  const socket = Object.assign(new EventEmitter(), {
    isFlowing: true,
    pause() {
      socket.isFlowing = false
    },
    resume() {
      socket.isFlowing = true
    },
  })
  const session = { isPaused: false }
  const received: Uint8Array[] = []
  const turns: (() => void)[] = []
  let frames = 0
  socket.on('data', function receive(this: unknown, part: Uint8Array) {
    expect(this).toBe(socket)
    received.push(part)
  })
  const account = { turn: () => new Promise<void>((resolve) => void turns.push(resolve)) }
  readFramesInTurns(socket as unknown as Duplex, session as WebSocket, account, () => frames)
  return {
    socket,
    session,
    received,
    turns,
    bytes: () => Buffer.concat(received).toString('latin1'),
    come(text: string, count: number) {
      frames += count
      socket.emit('data', Buffer.from(text, 'latin1'))
    },
    async next() {
      turns.shift()?.()
      await Promise.resolve()
      await Promise.resolve()
    },
  }
}

test('chunks of few frames are received whole and at once', () => {
  const { come, received, socket, turns } = scene()
  come('a'.repeat(65_536), 2)
  come('b', 256)
  expect(received.map(({ length }) => length)).toEqual([65_536, 1])
  expect([socket.isFlowing, turns.length]).toEqual([true, 0])
})

test('many small frames are received in parts, one in each turn, in order and whole', async () => {
  const { come, received, socket, turns, bytes, next } = scene()
  come('a'.repeat(6_000), 1_000)
  expect(received.map(({ length }) => length)).toEqual([1_536])
  expect(socket.isFlowing).toBe(false)
  // A chunk that comes all the same waits behind it.
  come('b'.repeat(10), 1)
  for (let parts = 1; turns.length > 0; parts++) {
    expect(received).toHaveLength(parts)
    await next()
  }
  expect(bytes()).toBe('a'.repeat(6_000) + 'b'.repeat(10))
  expect(received).toHaveLength(5)
  expect(socket.isFlowing).toBe(true)
  come('c', 1)
  expect(bytes().at(-1)).toBe('c')
})

test('a session that has enough stays paused', async () => {
  const { come, session, socket, turns, next } = scene()
  come('a'.repeat(6_000), 1_000)
  session.isPaused = true
  while (turns.length > 0) await next()
  expect(socket.isFlowing).toBe(false)
})

test('nothing is received after the connection is gone', async () => {
  const { come, received, socket, next } = scene()
  come('a'.repeat(6_000), 1_000)
  socket.emit('close')
  await next()
  come('b', 1)
  expect(received).toHaveLength(1)
})
