import type { RpcErrorObject } from '@wayleave/jsonrpc-core'
import { adaptCalls, type AdaptedCall } from '../../src/adapter/index.ts'
import { type StarknetVersion, starknetVersions } from '../../src/index.ts'

/** Every two versions that differ. */
export const pairs: readonly (readonly [caller: StarknetVersion, endpoint: StarknetVersion])[] =
  starknetVersions.flatMap((caller) =>
    starknetVersions.filter((endpoint) => endpoint !== caller).map((endpoint) => [caller, endpoint] as const),
  )

/** An adapted call; a refusal fails the test. */
export function callOf(
  caller: StarknetVersion,
  endpoint: StarknetVersion,
  method: string,
  params: unknown = [],
): AdaptedCall {
  const adaptation = adaptCalls({ caller, endpoint })(method, params)
  if (!('call' in adaptation)) throw new Error(`no call: ${JSON.stringify(adaptation)}`)
  return adaptation.call
}

/** Why a call is refused; one that is not fails the test. */
export function refusalOf(
  caller: StarknetVersion,
  endpoint: StarknetVersion,
  method: string,
  params: unknown = [],
): RpcErrorObject {
  const adaptation = adaptCalls({ caller, endpoint })(method, params)
  if (!('refusal' in adaptation)) throw new Error(`no refusal: ${JSON.stringify(adaptation)}`)
  return adaptation.refusal
}

/** A result as the caller gets it. */
export function answerOf(
  caller: StarknetVersion,
  endpoint: StarknetVersion,
  method: string,
  result: unknown,
  params: unknown = [],
): unknown {
  const { answer } = callOf(caller, endpoint, method, params)
  return answer === undefined ? result : answer(result)
}

/** Names of the members of an answer that only fill in what the caller's version requires. */
export function unknownOf(
  caller: StarknetVersion,
  endpoint: StarknetVersion,
  method: string,
  result: unknown,
): readonly string[] {
  const unknown = new Set<string>()
  const adaptation = adaptCalls({ caller, endpoint, onUnknown: (name) => void unknown.add(name) })(method, [])
  if (!('call' in adaptation)) throw new Error(`no call: ${JSON.stringify(adaptation)}`)
  adaptation.call.answer?.(result)
  return [...unknown]
}
