import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import { createUpkeep, type UpkeepOptions, type UpkeptSocket } from '../../../src/rpc/websocket/upkeep.ts'

let clock: FakeClock
let options: UpkeepOptions

interface Reported extends UpkeptSocket {
  readonly reported: string[]
}

/** Stands for a socket: it keeps what it is told, with the time. */
function socket(state: { isPaused?: boolean; bufferedAmount?: number; answers?: boolean } = {}): Reported {
  const reported: string[] = []
  const self: Reported = {
    reported,
    heard: true,
    active: true,
    quietMs: 0,
    taken: 0,
    takenNow: 0,
    webSocket: {
      isPaused: state.isPaused ?? false,
      bufferedAmount: state.bufferedAmount ?? 0,
      ping() {
        reported.push(`ping ${clock.now()}`)
        if (state.answers === true) self.heard = true
      },
      terminate: () => void reported.push(`cut ${clock.now()}`),
      close: (code: number) => void reported.push(`close ${code} ${clock.now()}`),
    } as unknown as WebSocket,
  }
  return self
}

beforeEach(() => {
  clock = new FakeClock(0)
  options = { clock, pingMs: 1_600, idleMs: 8_000 }
})

describe('a connection', () => {
  it('is pinged once a round, and cut when it does not answer', () => {
    const upkeep = createUpkeep(options)
    const one = socket()
    upkeep.add(one)
    clock.advance(1_599)
    expect(one.reported).toEqual([])
    clock.advance(1)
    expect(one.reported).toEqual(['ping 1600'])
    clock.advance(1_600)
    expect(one.reported).toEqual(['ping 1600', 'cut 3200'])
  })

  it('that answers is kept until nothing but pings has passed for long', () => {
    const upkeep = createUpkeep(options)
    const one = socket({ answers: true })
    upkeep.add(one)
    clock.advance(8_000)
    one.active = true
    clock.advance(8_000)
    expect(one.reported.filter((reported) => !reported.startsWith('ping'))).toEqual([])
    clock.advance(1_600)
    expect(one.reported.at(-1)).toBe('close 1001 17600')
  })

  it('that is not read, and takes what it is sent, is not cut', () => {
    const upkeep = createUpkeep(options)
    const deaf = socket({ isPaused: true })
    const slow = socket({ isPaused: true, bufferedAmount: 1 })
    upkeep.add(deaf)
    upkeep.add(slow)
    clock.advance(3_200)
    expect([deaf.reported, slow.reported]).toEqual([
      ['ping 1600', 'ping 3200'],
      ['ping 100', 'cut 1700'],
    ])
  })

  it('that has gone is let alone, and the last one takes the timer with it', () => {
    const upkeep = createUpkeep(options)
    const [one, two] = [socket(), socket()]
    upkeep.add(one)
    upkeep.add(two)
    upkeep.remove(one)
    upkeep.remove(one)
    expect(clock.timers).toBe(1)
    clock.advance(1_600)
    expect([one.reported, two.reported]).toEqual([[], ['ping 100']])
    upkeep.remove(two)
    expect(clock.timers).toBe(0)
    upkeep.add(one)
    expect(clock.timers).toBe(1)
  })
})

it('1,000 connections that come at once share a timer, and are not pinged at once', () => {
  const upkeep = createUpkeep(options)
  const sockets = Array.from({ length: 1_000 }, () => socket())
  for (const one of sockets) upkeep.add(one)
  expect(clock.timers).toBe(1)
  clock.advance(1_600)
  const at = new Map<string, number>()
  for (const { reported } of sockets) at.set(reported[0]!, (at.get(reported[0]!) ?? 0) + 1)
  expect([at.size, Math.max(...at.values())]).toEqual([16, 63])
})
