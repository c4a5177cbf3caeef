import { inspect } from 'node:util'
import { describeRpcError, RpcError, type RpcErrorCode, toRpcError } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { portFailure } from '../src/port-failure.ts'

describe('an RpcError', () => {
  it('is an error with a name, a code and what is known, and assumes the worst of what is not', () => {
    const why = new RpcError('timeout', 'too slow')
    expect(why).toBeInstanceOf(Error)
    expect(why).toMatchObject({ name: 'RpcError', code: 'timeout', message: 'too slow', delivery: 'unknown' })
    expect('cause' in why).toBe(false)
  })

  it('keeps its cause, and wraps only what is none', () => {
    const why = new RpcError('timeout', 'too slow')
    expect(toRpcError(why, 'unavailable', 'other')).toBe(why)
    const cause = new Error('a bug')
    expect(toRpcError(cause, 'unavailable', 'internal error')).toMatchObject({
      code: 'unavailable',
      message: 'internal error',
      cause,
    })
  })
})

describe('what a platform threw', () => {
  it.each([
    ['ECONNREFUSED', 'connect', 'not_sent'],
    ['ENOTFOUND', 'connect', 'not_sent'],
    ['EAI_AGAIN', 'connect', 'not_sent'],
    ['UND_ERR_CONNECT_TIMEOUT', 'connect', 'not_sent'],
    ['CERT_HAS_EXPIRED', 'connect', 'not_sent'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'connect', 'not_sent'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'connect', 'not_sent'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'connect', 'not_sent'],
    ['ECONNRESET', 'disconnected', 'unknown'],
    ['EPIPE', 'disconnected', 'unknown'],
    ['ETIMEDOUT', 'disconnected', 'unknown'],
    ['UND_ERR_SOCKET', 'disconnected', 'unknown'],
  ])('with %s is %s, %s', (code, expected, delivery) => {
    const secret = 'connect to https://secret'
    for (const thrown of [
      Object.assign(new Error(secret), { code }),
      new TypeError('fetch failed', { cause: Object.assign(new Error(secret), { code }) }),
    ]) {
      const why = portFailure(thrown, 'before a response came')
      expect(why).toMatchObject({ code: expected, delivery })
      expect(why.message).toContain(code)
      expect(inspect(why, { showHidden: true, depth: 9 })).not.toContain('secret')
    }
  })

  // Linux gives an established connection that lost its route the error of the last ICMP message (`tcp_write_err`).
  it.each(['EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED'])(
    'with %s from an open connection may have been sent',
    (code) => {
      for (const syscall of ['read', 'write', 'writev']) {
        const cause = Object.assign(new Error('no route'), { code, syscall })
        for (const thrown of [cause, new TypeError('fetch failed', { cause })]) {
          expect(portFailure(thrown, 'before a response came')).toMatchObject({
            code: 'disconnected',
            delivery: 'unknown',
          })
        }
      }
      const cause = Object.assign(new Error('no route'), { code, syscall: 'connect' })
      expect(portFailure(new TypeError('fetch failed', { cause }), '')).toMatchObject({ delivery: 'not_sent' })
    },
  )

  it.each([
    undefined,
    null,
    'https://secret',
    new Error('https://secret'),
    { code: 'https://secret' },
    { name: 'https://secret' },
    { cause: null },
  ])('and is none of its kind (%j) is a broken connection that repeats nothing', (thrown) => {
    const why = portFailure(thrown, 'before a response came')
    expect(why).toMatchObject({ code: 'disconnected', delivery: 'unknown' })
    expect(inspect(why, { showHidden: true, depth: 9 })).not.toContain('secret')
  })
})

describe('what a caller is told', () => {
  it.each<[RpcErrorCode, number]>([
    ['timeout', -32002],
    ['too_large', -32003],
    ['overloaded', -32005],
    ['denied', -32002],
    ['unavailable', -32603],
    ['connect', -32603],
    ['disconnected', -32603],
    ['http_status', -32603],
    ['invalid_response', -32603],
    ['aborted', -32603],
  ])('of %s is %i and no detail', (code, expected) => {
    const reported = describeRpcError(
      new RpcError(code, code === 'denied' ? 'method not allowed' : 'node-7 at 10.0.0.7'),
    )
    expect(reported.code).toBe(expected)
    expect(JSON.stringify(reported)).not.toContain('node-7')
  })

  it('is the error that a policy or a peer chose for him', () => {
    const rpc = { code: -32005, message: 'daily request count exceeded' }
    expect(describeRpcError(new RpcError('denied', 'quota', { rpc }))).toBe(rpc)
  })

  it('is not what an upstream said of our own key or quota', () => {
    const rpc = { code: -32600, message: 'invalid project id SECRET' }
    expect(
      JSON.stringify(describeRpcError(new RpcError('http_status', 'HTTP status 401', { httpStatus: 401, rpc }))),
    ).not.toContain('SECRET')
  })
})
