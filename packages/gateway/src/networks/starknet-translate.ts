import type { RpcContext, RpcHandler, RpcMiddleware, RpcResponse } from '@wayleave/jsonrpc-core'
import { starknetVersions, type StarknetVersion } from '@wayleave/starknet-types'
import { adaptStarknet } from '@wayleave/starknet-types/adapter'
import type { Endpoint } from '@wayleave/upstream'
import { apiVersion } from './api-version.ts'
import type { TranslateOptions, Translation } from './network-kind.ts'
import { createSpecVersion, type SpecVersion } from './spec-version.ts'

/**
 * Endpoints of Starknet that take calls of every version, and a pool's facts about them: those whose version loses least are
 * asked first, the caller's own before all, and one that cannot say a call in its own words has not been asked.
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
    prefers(endpoint, request) {
      const spoken = apiVersion.of(request)
      if (spoken === undefined) return false
      const loss = lossOf(versions.get(endpoint)!, spoken)
      return Number.isFinite(loss) && [...versions.values()].every((other) => lossOf(other, spoken) >= loss)
    },
    isRefusal: (response) => answers.refused.has(response),
    isLastResort: (response) => answers.unsaid.has(response),
  }
}

/**
 * How much is lost to a caller by the version that a node told: nothing in his own, little in a later one, more the earlier it
 * is, since nobody knows what it does not say. Among nodes of later versions the given order holds.
 */
function lossOf({ known }: SpecVersion, spoken: string): number {
  if (known === undefined) return Number.POSITIVE_INFINITY
  const steps = starknetVersions.findIndex((each) => each === spoken) - starknetVersions.indexOf(known)
  return steps < 0 ? 1 : 2 * steps
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
    const caller = starknetVersions.find((known) => known === apiVersion.of(request))
    // What the gateway asks for itself is said in the node's own words.
    if (caller === undefined) return node(request, context)
    const spoken = await version.current(context)
    // Perhaps another node speaks as the caller does; who is never asked would never tell.
    if (spoken !== caller) onOther()
    let answered: RpcResponse | undefined
    const ask: RpcHandler = async (inner, at) => (answered = await node(inner, at))
    const sayIn = (words: StarknetVersion): Promise<RpcResponse> => {
      answered = undefined
      return adapterOf(caller, words)(ask)(request, context)
    }
    let response = await sayIn(spoken)
    if (isDoubtful(response, answered)) {
      version.doubt()
      // Nothing was done: it was not sent, not understood, or read. A node that was upgraded takes it in its new words.
      const now = await version.current(context).catch(() => spoken)
      if (now !== spoken) response = await sayIn(now)
    }
    if (response.error === undefined) return response
    if (answered === undefined) refused.add(response)
    else if (answered.error === undefined) unsaid.add(response)
    return response
  }
}

/** Whether a call could not be said to the node, or its answer not to the caller, perhaps as the version is not the node's. */
function isDoubtful(response: RpcResponse, answered: RpcResponse | undefined): boolean {
  return response.error !== undefined && (answered?.error === undefined || misunderstood.has(answered.error.code))
}
