import type { VerificationLevel, VerifyOptions } from '@wayleave/evm-verify'
import { type RpcContext, RpcError, type RpcHandler, type RpcMiddleware } from '@wayleave/jsonrpc-core'
import { assertOptions } from '../assert-options.ts'
import { loadOnce } from '../load-once.ts'
import { unlessCancelled } from '../unless-cancelled.ts'

const levels = ['off', 'consistent', 'proven']

const known = {
  verify: 'require anchor logs maxLogBlocks offload unverifiable others onVerdict maxBytes maxCalls maxHeaders',
  anchor: 'blockHash quorum',
  quorum: 'handlers atLeast',
}

/**
 * Makes the check of a client's answers: `consistent` means that they agree with themselves and with the question, `proven` that there is a
 * proof. `{ require, anchor, onVerdict, … }` sets details; `anchor` vouches for blocks by number and tag. The code loads with the first call.
 * @throws TypeError
 */
export function verify(choice: VerificationLevel | VerifyOptions): RpcMiddleware<RpcContext> {
  const options = typeof choice === 'string' ? { require: choice } : choice
  if (!levels.includes(options?.require)) {
    throw new TypeError('verify: expected off, consistent, proven or { require, anchor }')
  }
  assertOptions(options, 'verify', known)
  if (options.require === 'off') return (next) => next
  return (next) => {
    const handler = loadOnce(() => load(options, next))
    return async (request, context) => (await unlessCancelled(handler(), context))(request, context)
  }
}

/** Loads the middleware. @throws RpcError if the code does not load, TypeError for an invalid anchor. */
async function load(options: VerifyOptions, next: RpcHandler): Promise<RpcHandler> {
  const { verify: verifying } = await import('./load-verify.ts').catch((cause: unknown) => {
    throw new RpcError('unavailable', 'verify: its code could not be loaded', { delivery: 'not_sent', cause })
  })
  return verifying(options)(next)
}
