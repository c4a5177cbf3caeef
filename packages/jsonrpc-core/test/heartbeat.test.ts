import { createContext } from '@wayleave/jsonrpc-core'
import { heartbeat, type WebSocketTransportOptions } from '@wayleave/jsonrpc-core/websocket'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'
import type { WebSocket as ServerSocket } from 'ws'
import { eventually } from './real-server.ts'
import { answer, outcome, peer } from './websocket-peer.ts'

const watch = heartbeat({ method: 'beat', intervalMs: 1_000, timeoutMs: 300 })

/** A peer that answers as `react` says, on a clock that stands still. */
async function scene(react: (socket: ServerSocket, id: number, method: string) => void, options = {}) {
  const clock = new FakeClock()
  const settings: Partial<WebSocketTransportOptions> = { clock, watch, ...options }
  const own = await peer((socket, { id, method }) => react(socket, id, method), settings)
  const beats = (): number => own.frames.filter(({ method }) => method === 'beat').length
  return { ...own, clock, beats, connections: () => own.connections }
}

const answering = (socket: ServerSocket, id: number): void => socket.send(answer(id))

describe('a heartbeat', () => {
  it('asks a peer that says nothing, and keeps the connection while it answers', async () => {
    const own = await scene(answering)
    await outcome(own.ask())
    for (let beat = 1; beat <= 3; beat++) {
      own.clock.advance(999)
      expect(own.beats()).toBe(beat - 1)
      own.clock.advance(1)
      await eventually(() => own.beats() === beat, 'the peer was not asked')
      // Its answer is heard before the answer to this call.
      await outcome(own.ask())
      own.clock.advance(300)
      await outcome(own.ask())
    }
    expect(own.connections()).toBe(1)
  })

  it('does not ask a peer that talks', async () => {
    const own = await scene(answering)
    for (let second = 0; second < 5; second++) {
      await outcome(own.ask())
      own.clock.advance(600)
    }
    expect(own.beats()).toBe(0)
  })

  it('takes an error for an answer', async () => {
    const own = await scene((socket, id, method) =>
      socket.send(
        method === 'beat' ? `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"no"}}` : answer(id),
      ),
    )
    await outcome(own.ask())
    own.clock.advance(1_000)
    await eventually(() => own.beats() === 1, 'the peer was not asked')
    await outcome(own.ask())
    own.clock.advance(300)
    expect(own.connections()).toBe(1)
  })

  it('drops a peer that answers pings and nothing else, and connects again', async () => {
    let deaf = true
    let pongs = 0
    const own = await scene((socket, id) => {
      socket.on('pong', () => pongs++)
      if (deaf) socket.ping()
      else answering(socket, id)
    })
    const context = createContext({ clock: own.clock, timeoutMs: 60_000 })
    const pending = outcome(own.ask('m', context))
    await eventually(() => pongs > 0, 'no pong came')
    own.clock.advance(1_000)
    await eventually(() => own.beats() === 1, 'the peer was not asked')
    deaf = false
    own.clock.advance(300)
    expect(await pending).toBe('disconnected unknown')
    await eventually(() => own.connections() === 2, 'it did not connect again')
    expect(await outcome(own.ask('m', createContext()))).toBe('"ok"')
    context.release()
  })

  it('is off unless it is given, and has one timer, while the connection is open', async () => {
    const off = await scene(answering, { watch: undefined })
    await outcome(off.ask())
    expect(off.clock.timers).toBe(0)
    const own = await scene(answering)
    expect(own.clock.timers).toBe(0)
    await outcome(own.ask())
    expect(own.clock.timers).toBe(1)
    await own.transport.close()
    expect(own.clock.timers).toBe(0)
  })
})
