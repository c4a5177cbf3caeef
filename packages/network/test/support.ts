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

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Waits until `holds`; fails after fifteen seconds, which only say that it never will. */
export async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 3_000; i++) {
    if (holds()) return
    await sleep(5)
  }
  throw new Error(`it never came true: ${String(holds)}`)
}
