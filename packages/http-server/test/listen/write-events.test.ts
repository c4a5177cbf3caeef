import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { systemClock } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { writeEvents } from '../../src/listen/write.ts'

/** A response whose reader takes nothing more after `room` parts until it drains. */
function responseWith(room: number): ServerResponse & { parts: string[]; ended: boolean } {
  const response = Object.assign(new EventEmitter(), {
    parts: [] as string[],
    ended: false,
    destroyed: false,
    write: (part: string) => response.parts.push(part) < room,
    end: () => void (response.ended = true),
    destroy: () => void (response.destroyed = true),
  })
  return response as unknown as ServerResponse & { parts: string[]; ended: boolean }
}

async function* from(...parts: readonly string[]): AsyncGenerator<string> {
  yield* parts
}

describe('writeEvents', () => {
  it('takes the next event once the reader has taken the last, and ends the answer with them', async () => {
    const response = responseWith(2)
    const done = writeEvents(response, from('a', 'b', 'c'), systemClock, 1_000)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(response.parts).toEqual(['a', 'b'])
    response.emit('drain')
    await new Promise((resolve) => setTimeout(resolve, 20))
    response.emit('drain')
    await done
    expect({ parts: response.parts, ended: response.ended }).toEqual({ parts: ['a', 'b', 'c'], ended: true })
  })

  it('ends a stream that has passed nothing but comments for the time allowed', async () => {
    let now = 0
    const clock = { ...systemClock, now: () => now }
    async function* slow(): AsyncGenerator<string> {
      for (const part of ['a', ':', ':', 'b', ':', ':', ':', ':', 'never']) {
        yield part
        now += 400
      }
    }
    const response = responseWith(100)
    await writeEvents(response, slow(), clock, 1_000)
    expect(response.parts).toEqual(['a', ':', ':', 'b', ':', ':'])
    expect(response.ended).toBe(true)
  })

  it('cuts the connection where the stream breaks off', async () => {
    async function* broken(): AsyncGenerator<string> {
      yield 'a'
      throw new Error('broken')
    }
    const response = responseWith(100)
    await writeEvents(response, broken(), systemClock, 1_000)
    expect({ ended: response.ended, destroyed: response.destroyed }).toEqual({ ended: false, destroyed: true })
  })
})
