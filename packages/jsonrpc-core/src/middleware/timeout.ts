import type { Clock } from '../clock.ts'
import type { RpcContext } from '../context.ts'
import { systemClock } from '../defaults.ts'
import type { RpcMiddleware } from '../handler.ts'
import { isStream } from '../raw-json.ts'

/**
 * Gives the handler below at most `ms` milliseconds, then rejects with `timeout`. A whole value must arrive within them, a
 * stream must begin; from then on only the caller's own deadline counts.
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
      // The release below parts the fork from its parent, but the stream must still end with its caller.
      if (response.error === undefined && isStream(response.result)) context.onCancel((why) => fork.cancel(why))
      return response
    } finally {
      fork.release()
    }
  }
}
