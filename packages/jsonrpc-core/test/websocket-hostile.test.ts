import type { Socket } from 'node:net'
import { createContext } from '@wayleave/jsonrpc-core'
import { heartbeat } from '@wayleave/jsonrpc-core/websocket'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'
import type { WebSocket as ServerSocket } from 'ws'
import { eventually } from './real-server.ts'
import { answer, outcome, peer, rawOf } from './websocket-peer.ts'

/** One unmasked frame of up to 125 bytes (RFC 6455 §5.2); `first` holds FIN, the reserved bits and the opcode. */
function frame(first: number, payload: Uint8Array | string): Buffer {
  const body = Buffer.from(payload)
  return Buffer.concat([Uint8Array.of(first, body.byteLength), body])
}

const text = 0x81

describe('a peer that sends', () => {
  it.each<[string, (raw: Socket, id: number) => void, string]>([
    [
      'text that is not UTF-8',
      (raw) => raw.write(frame(text, Uint8Array.of(0x22, 0xc3, 0x28, 0x22))),
      'invalid_response',
    ],
    ['a reserved bit', (raw, id) => raw.write(frame(text | 0x40, answer(id))), 'invalid_response'],
    ['an unknown opcode', (raw, id) => raw.write(frame(0x83, answer(id))), 'invalid_response'],
    ['the middle of no message', (raw, id) => raw.write(frame(0x80, answer(id))), 'invalid_response'],
    ['a masked frame', (raw) => raw.write(Uint8Array.of(text, 0x81, 0, 0, 0, 0, 0x31)), 'invalid_response'],
    ['bytes', (raw, id) => raw.write(frame(0x82, answer(id))), 'invalid_response'],
    [
      'half an answer as a whole message',
      (raw, id) => raw.write(frame(text, answer(id).slice(0, 20))),
      'invalid_response',
    ],
    ['the length of a huge frame', (raw) => raw.write(Uint8Array.of(text, 127, 0, 0, 0, 1, 0, 0, 0, 0)), 'too_large'],
    [
      'a length beyond all numbers',
      (raw) => raw.write(Uint8Array.of(text, 127, 255, 255, 255, 255, 0, 0, 0, 0)),
      'too_large',
    ],
    ['fragments that are too long in sum', (raw) => tooManyFragments(raw), 'too_large'],
  ])('%s costs its connection, and is told apart', async (_name, send, code) => {
    const scene = await peer(
      (socket, { id, method }) => (method === 'bad' ? send(rawOf(socket), id) : socket.send(answer(id))),
      { maxMessageBytes: 1_000 },
    )
    expect(await outcome(scene.ask('bad'))).toBe(`${code} unknown`)
    expect(await outcome(scene.ask('good'))).toBe('"ok"')
    expect(scene.connections).toBe(2)
  })

  it('an answer in fragments, with pings between them, has answered', async () => {
    const { ask } = await peer((socket, { id }) => {
      const whole = answer(id)
      rawOf(socket).write(
        Buffer.concat([frame(0x01, whole.slice(0, 5)), frame(0x89, 'ping'), frame(0x80, whole.slice(5))]),
      )
    })
    expect(await outcome(ask())).toBe('"ok"')
  })

  it('the same answer twice has answered once', async () => {
    const scene = await peer((socket, { id, method }) => {
      socket.send(answer(id, `"${method}"`))
      socket.send(answer(id, '"again"'))
    })
    const answers = ['a', 'b', 'c'].map((method) => outcome(scene.ask(method)))
    expect(await Promise.all(answers)).toEqual(['"a"', '"b"', '"c"'])
    expect(scene.connections).toBe(1)
  })
})

describe('a peer that is gone without a word', () => {
  it('on a half-open connection is noticed by the heartbeat', async () => {
    const clock = new FakeClock()
    let deaf: ServerSocket | undefined
    const scene = await peer(
      (socket, { id, method }) => {
        if (method === 'deafen') rawOf((deaf = socket)).pause()
        if (socket !== deaf) socket.send(answer(id))
      },
      { clock, watch: heartbeat({ method: 'beat', intervalMs: 1_000, timeoutMs: 300 }) },
    )
    const pending = outcome(scene.ask('deafen', createContext()))
    await eventually(() => deaf !== undefined, 'the call did not arrive')
    clock.advance(1_300)
    expect(await pending).toBe('disconnected unknown')
    expect(await outcome(scene.ask())).toBe('"ok"')
    // The old socket is torn down, though its peer never answers the close.
    clock.advance(1_000)
    rawOf(deaf!).resume()
    await eventually(() => scene.server.clients.size === 1, 'the old connection is still there')
  })

  it('after it said that it closes costs one second', async () => {
    const { ask } = await peer((socket, { method }) => {
      if (method !== 'bye') return
      rawOf(socket).write(frame(0x88, Uint8Array.of(0x03, 0xe9)))
      rawOf(socket).pause()
    })
    expect(await outcome(ask('bye'))).toBe('disconnected unknown')
  })
})

function tooManyFragments(raw: Socket): void {
  raw.write(frame(0x01, '"'))
  for (let i = 0; i < 20; i++) raw.write(frame(0x00, 'a'.repeat(100)))
}
