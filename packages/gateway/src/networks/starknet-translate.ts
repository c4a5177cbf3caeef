import type { RpcContext, RpcHandler, RpcMiddleware, RpcResponse } from '@wayleave/jsonrpc-core'
import { starknetVersions, type StarknetVersion } from '@wayleave/starknet-types'
import { adaptStarknet } from '@wayleave/starknet-types/adapter'
import type { Endpoint } from '@wayleave/upstream'
import type { TranslateOptions, Translation } from './network-kind.ts'
import { createSpecVersion, type SpecVersion } from './spec-version.ts'

/**
 * Endpoints of Starknet that take calls of every version, and a pool's facts about them: those that speak the caller's version
 * themselves are asked first, and one that cannot say a call in its own words has not been asked.
 */
export function translateStarknet(
  endpoints: readonly Endpoint[],
  { clock, maxBytes, onNewer }: TranslateOptions,
): Translation {
  const answers: Answers = { refused: new WeakSet(), unsaid: new WeakSet() }
  const versions = new Map<Endpoint, SpecVersion>()
  const translated = endpoints.map((endpoint) => {
    const version = createSpecVersion(endpoint.handler, { clock, onNewer: (newer) => onNewer(endpoint, newer) })
    const handler = translating(endpoint.handler, version, maxBytes, answers, () => {
      for (const each of versions.values()) each.learn()
    })
    const able: Endpoint = { name: endpoint.name, carriesSubscriptions: endpoint.carriesSubscriptions, handler }
    versions.set(able, version)
    return able
  })
  return {
    endpoints: translated,
    prefers: (endpoint, { dialect }) => dialect !== undefined && versions.get(endpoint)?.known === dialect,
    isRefusal: (response) => answers.refused.has(response),
    isLastResort: (response) => answers.unsaid.has(response),
  }
}

/** Errors that the adapter made itself. */
interface Answers {
  /** The call cannot be said in the node's version. */
  readonly refused: WeakSet<RpcResponse>
  /** The node answered, and the caller's version cannot say what. */
  readonly unsaid: WeakSet<RpcResponse>
}

/** What a node says that was asked in the words of another version: no such method, no such params. */
const misunderstood = new Set([-32601, -32602])

function translating(
  node: RpcHandler,
  version: SpecVersion,
  maxBytes: number,
  { refused, unsaid }: Answers,
  onOther: () => void,
): RpcHandler {
  const adapters = new Map<string, RpcMiddleware<RpcContext>>()
  const adapterOf = (caller: StarknetVersion, endpoint: StarknetVersion): RpcMiddleware<RpcContext> => {
    const pair = `${caller} ${endpoint}`
    let adapter = adapters.get(pair)
    if (adapter === undefined) adapters.set(pair, (adapter = adaptStarknet({ caller, endpoint, maxBytes })))
    return adapter
  }
  return async (request, context) => {
    const caller = starknetVersions.find((known) => known === request.dialect)
    // What the gateway asks for itself is said in the node's own words.
    if (caller === undefined) return node(request, context)
    const spoken = await version.current(context)
    // Perhaps another node speaks as the caller does; who is never asked would never tell.
    if (spoken !== caller) onOther()
    const adapter = adapterOf(caller, spoken)
    let answered: RpcResponse | undefined
    const ask: RpcHandler = async (inner, at) => (answered = await node(inner, at))
    const response = await adapter(ask)(request, context)
    if (response.error === undefined) return response
    if (answered === undefined) refused.add(response)
    else if (answered.error === undefined) unsaid.add(response)
    if (answered?.error === undefined || misunderstood.has(answered.error.code)) version.doubt()
    return response
  }
}
