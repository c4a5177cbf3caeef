import { execFile } from 'node:child_process'
import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readBody } from '../../src/listen/body.ts'

function scene(cap: number, declared?: string, capacity = Number.POSITIVE_INFINITY) {
  const request = Object.assign(new EventEmitter(), { pause() {}, resume() {} })
  const done: string[] = []
  const held: number[] = []
  const hold = (bytes: number): boolean => {
    held.push(bytes)
    return held.reduce((sum, each) => sum + each, 0) <= capacity
  }
  readBody(request as unknown as IncomingMessage, declared, cap, hold, (body) =>
    done.push(typeof body === 'string' ? body : Buffer.from(body).toString()),
  )
  return { done, held, data: (text: string) => request.emit('data', Buffer.from(text)), end: () => request.emit('end') }
}

describe('a body', () => {
  it.each([[[]], [['abc']], [['a', 'bc']], [['a', '', 'b', 'c', 'd']]])(
    'of the pieces %j is given once, whole',
    (pieces) => {
      const { done, data, end } = scene(10)
      for (const piece of pieces) data(piece)
      expect(done).toEqual([])
      end()
      expect(done).toEqual([pieces.join('')])
    },
  )

  it('up to the cap is given', () => {
    const { done, data, end } = scene(4, '4')
    data('abcd')
    end()
    expect(done).toEqual(['abcd'])
  })

  it('over the cap is refused once, as soon as that is known', () => {
    expect(scene(4, '5').done).toEqual(['too_large'])
    const { done, data, end } = scene(4)
    data('abc')
    data('de')
    expect(done).toEqual(['too_large'])
    data('f')
    end()
    expect(done).toEqual(['too_large'])
  })

  it('of a million pieces of one byte holds little more than its bytes', { timeout: 60_000 }, async () => {
    const source = fileURLToPath(new URL('../../src/listen/body.ts', import.meta.url))
    const script = `
      import { EventEmitter } from 'node:events'
      import { readBody } from ${JSON.stringify(source)}
      const request = Object.assign(new EventEmitter(), { pause() {} })
      readBody(request, undefined, 5_000_000, () => true, (body) => console.log(body.byteLength))
      for (let i = 0; i < 1_000_000; i++) request.emit('data', Buffer.alloc(1, 120))
      request.emit('end')`
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--max-old-space-size=64',
      '--input-type=module',
      '-e',
      script,
    ])
    expect(stdout).toBe('1000000\n')
  })
})
