import { RpcError } from '@wayleave/jsonrpc-core'
import { failureKindOf, summariseFailures } from '@wayleave/upstream'
import { expect, it } from 'vitest'

it.each([
  [new RpcError('timeout', ''), 'timeout'],
  [new RpcError('connect', ''), 'unreachable'],
  [new RpcError('disconnected', ''), 'unreachable'],
  [new RpcError('invalid_response', ''), 'internal'],
  [new RpcError('http_status', '', { httpStatus: 429 }), 'rate_limited'],
  [new RpcError('http_status', '', { httpStatus: 402 }), 'quota'],
  [new RpcError('http_status', '', { httpStatus: 403 }), 'unauthorized'],
  [new RpcError('http_status', '', { httpStatus: 503 }), 'overloaded'],
  [new RpcError('http_status', '', { httpStatus: 500 }), 'internal'],
  [new RpcError('aborted', ''), undefined],
  [new RpcError('too_large', ''), undefined],
  [new RpcError('overloaded', ''), undefined],
])('tells the kind of failure: %o is %s', (why, kind) => {
  expect(failureKindOf(why)).toBe(kind)
})

it('sums failures up in words', () => {
  expect(summariseFailures(['rate_limited', 'timeout', 'timeout'])).toBe('2 timed out, 1 rate limited')
  expect(summariseFailures([])).toBe('')
})
