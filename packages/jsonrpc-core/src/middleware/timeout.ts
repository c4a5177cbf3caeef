import type { Clock } from '../clock.ts'
import type { RpcContext } from '../context.ts'
import { systemClock } from '../defaults.ts'
import type { RpcMiddleware } from '../handler.ts'
import { isStream } from '../raw-json.ts'

/**
 * Gives what is below it `ms` milliseconds at most, and rejects with `timeout` past them. A value that comes whole has arrived
 * within them; a stream has begun, and from then on only the caller's own deadline counts.
 */
export function timeout(ms: number, options: { readonly clock?: Clock } = {}): RpcMiddleware<RpcContext> {
  const { clock = systemClock } = options
  return (next) => async (request, context) => {
    if (context.cancelled !== undefined) throw context.cancelled
    const deadline = clock.now() + ms
    if (deadline >= context.deadline) return next(request, context)
    const fork = context.fork({ deadline })
    try {
      const response = await next(request, fork.context)
      // The release below parts the fork from its parent, but the stream still ends with its caller.
      if (response.error === undefined && isStream(response.result)) context.onCancel((why) => fork.cancel(why))
      return response
    } finally {
      fork.release()
    }
  }
}
