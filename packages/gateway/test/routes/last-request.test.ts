import { describe, expect, it } from 'vitest'
import { rememberLast } from '../../src/routes/last-request.ts'
import type { Route } from '../../src/routes/route.ts'

/** Counts what was read and hashed. */
function remembering() {
  const read: string[] = []
  const hashed: string[] = []
  const lastOf = rememberLast(
    (url, host): Route => {
      read.push(`${host}${url}`)
      return { kind: 'rpc', network: host, key: url }
    },
    (text) => {
      hashed.push(text)
      return `digest of ${text}`
    },
  )
  return { read, hashed, lastOf }
}

describe('the last request of a connection', () => {
  it('is read once while path and host stay the same, and anew as soon as one differs', () => {
    const { read, lastOf } = remembering()
    const last = lastOf({})
    for (const [url, host] of [
      ['/v3/a', 'x'],
      ['/v3/a', 'x'],
      ['/v3/b', 'x'],
      ['/v3/b', 'y'],
      ['/v3/a', 'x'],
    ] as const)
      expect(last.route(url, host)).toStrictEqual({ kind: 'rpc', network: host, key: url })
    expect(read).toStrictEqual(['x/v3/a', 'x/v3/b', 'y/v3/b', 'x/v3/a'])
  })

  it('is its connection’s alone', () => {
    const { read, hashed, lastOf } = remembering()
    const [one, other] = [{}, {}]
    lastOf(one).route('/v3/a', 'x')
    lastOf(one).digestOf('a')
    lastOf(other).route('/v3/a', 'x')
    lastOf(other).digestOf('a')
    expect([read.length, hashed.length]).toStrictEqual([2, 2])
  })

  it('has each key hashed by itself', () => {
    const { hashed, lastOf } = remembering()
    const { digestOf } = lastOf({})
    expect(['a', 'a', 'b', 'a'].map(digestOf)).toStrictEqual([
      'digest of a',
      'digest of a',
      'digest of b',
      'digest of a',
    ])
    expect(hashed).toStrictEqual(['a', 'b', 'a'])
  })

  it('does not hold a long path while the connection is idle', () => {
    const { read, lastOf } = remembering()
    const last = lastOf({})
    const long = `/v3/a?${'x'.repeat(16_000)}`
    last.route(long, 'x')
    last.route(long, 'x')
    expect(read).toHaveLength(2)
  })
})
