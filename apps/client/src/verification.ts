import type { VerifyOptions } from '@wayleave/evm-verify'
import { type RpcContext, RpcError, type RpcHandler, type RpcMiddleware } from '@wayleave/jsonrpc-core'
import { loadOnce } from './load-once.ts'
import type { ClientOptions } from './options.ts'
import { unlessCancelled } from './unless-cancelled.ts'

const levels = ['off', 'consistent', 'proven']

/** Returns the middleware for a client's `verify`; undefined for `off`. @throws TypeError */
export function verificationOf({
  verify: choice = 'off',
}: Pick<ClientOptions, 'verify'>): RpcMiddleware<RpcContext> | undefined {
  if (typeof choice === 'function') return choice
  const options = typeof choice === 'string' ? { require: choice } : choice
  if (!levels.includes(options?.require)) {
    throw new TypeError('verify: expected off, consistent, proven, { require, anchor } or a middleware')
  }
  return options.require === 'off' ? undefined : loaded(options)
}

/** Wraps the middleware of `@wayleave/evm-verify`, which loads with the first call. */
function loaded(options: VerifyOptions): RpcMiddleware<RpcContext> {
  return (next) => {
    const handler = loadOnce(() => load(options, next))
    return async (request, context) => (await unlessCancelled(handler(), context))(request, context)
  }
}

/** Loads the middleware. @throws RpcError if the code does not load, TypeError for an invalid anchor. */
async function load(options: VerifyOptions, next: RpcHandler): Promise<RpcHandler> {
  const { verify } = await import('./load-verify.ts').catch((cause: unknown) => {
    throw new RpcError('unavailable', 'verify: its code could not be loaded', { delivery: 'not_sent', cause })
  })
  return verify(options)(next)
}
