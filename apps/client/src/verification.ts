import type { VerifyOptions } from '@wayleave/evm-verify'
import { type RpcContext, RpcError, type RpcHandler, type RpcMiddleware } from '@wayleave/jsonrpc-core'
import { loadOnce } from './load-once.ts'
import type { ClientOptions } from './options.ts'

const levels = ['off', 'consistent', 'proven']

/** The middleware that a client's `verify` stands for; undefined for none. @throws TypeError */
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

/** The middleware of `@wayleave/evm-verify`, which comes with the first call. */
function loaded(options: VerifyOptions): RpcMiddleware<RpcContext> {
  return (next) => {
    const handler = loadOnce(() => load(options, next))
    return async (request, context) => (await unlessCancelled(handler(), context))(request, context)
  }
}

/** A call waits no longer than it may, also for code. */
function unlessCancelled<T>(work: Promise<T>, context: RpcContext): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = context.onCancel(reject)
    work.then(resolve, reject).finally(forget)
  })
}

/** @throws RpcError where the code does not come, TypeError for an anchor that is none. */
async function load(options: VerifyOptions, next: RpcHandler): Promise<RpcHandler> {
  const { verify } = await import('./load-verify.ts').catch((cause: unknown) => {
    throw new RpcError('unavailable', 'verify: its code could not be loaded', { delivery: 'not_sent', cause })
  })
  return verify(options)(next)
}
