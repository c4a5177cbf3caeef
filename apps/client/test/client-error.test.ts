import { expect, expectTypeOf, it } from 'vitest'
import type { RpcErrorObject } from '@wayleave/jsonrpc-core'
import { type ClientError, createClient, isClientError } from '../src/index.ts'
import { failure, servePeer } from './helpers.ts'

/** Reads of an error what its code says that it has. */
function read(error: ClientError): number | string {
  switch (error.code) {
    case 'http_status':
      expectTypeOf(error.httpStatus).toEqualTypeOf<number>()
      return error.httpStatus
    case 'rpc':
      expectTypeOf(error.rpc).toEqualTypeOf<RpcErrorObject>()
      return error.rpc.code
    default:
      expectTypeOf(error.httpStatus).toEqualTypeOf<number | undefined>()
      return error.code
  }
}

it('the code of an error narrows what else it has', async () => {
  const { url } = await servePeer('no quantity')
  const thrown = await failure(createClient({ url }).eth.blockNumber())
  expect(isClientError(thrown) && read(thrown)).toBe('invalid_response')
  expect(isClientError(new TypeError('no'))).toBe(false)
})
