import { isStream, rawJsonFromValue, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'

export const call = (method: string, params: unknown = []): RpcRequest => ({
  method,
  params: rawJsonFromValue(params),
  notification: false,
})

/** The result of a response, parsed. */
export function resultOf(response: RpcResponse): unknown {
  if (response.result === undefined || isStream(response.result)) throw new Error('a whole result was expected')
  return response.result.value()
}

export async function rejectionOf(promise: Promise<unknown>): Promise<Error> {
  return (await promise.then(
    () => new Error('it resolved'),
    (why: unknown) => why,
  )) as Error
}
