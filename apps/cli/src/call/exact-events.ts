import { type RawJson, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'

/** Subscriptions through `next` whose events are the JSON texts that came, as texts: no number loses a digit. */
export function exactEvents(next: RpcHandler): RpcHandler {
  return async (request, context) => {
    const response = await next(request, context)
    if (response.error !== undefined || response.subscription === undefined) return response
    const { subscription } = response
    return {
      ...response,
      subscription: {
        id: subscription.id,
        open: (sink) =>
          subscription.open({
            event: (method, result) => sink.event(method, textOf(result)),
            gap: (gap) => sink.gap(gap),
            end: (why) => sink.end(why),
          }),
      },
    }
  }
}

/** What is no JSON stays, so that its reader refuses it. */
function textOf(result: RawJson): RawJson {
  try {
    result.parse()
    return rawJsonFromValue(result.text())
  } catch {
    return result
  }
}
