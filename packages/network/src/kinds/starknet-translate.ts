import {
  rawJsonFromValue,
  type RpcContext,
  type RpcErrorObject,
  type RpcHandler,
  type RpcMiddleware,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { pathOf, starknetVersions, type StarknetVersion } from '@wayleave/starknet-types'
import { adaptedFrom as adaptedFromNode, type AdaptedFrom, adaptStarknet } from '@wayleave/starknet-types/adapter'
import type { Endpoint } from '@wayleave/upstream'
import { adaptedFrom } from './adapted-from.ts'
import { undecided } from './api-version.ts'
import type { TranslateOptions, Translation } from './network-kind.ts'
import { createSpecVersion, type SpecVersion } from './spec-version.ts'
import { hintsOf } from '../hints/call-hints.ts'

/**
 * Makes endpoints of Starknet that take calls of every version, and a pool's facts about them. Endpoints whose version loses least are
 * asked first, the caller's own version before all. An endpoint into whose version a call cannot be translated counts as not asked.
 */
export function translateStarknet(
  endpoints: readonly Endpoint[],
  { clock, maxBytes, onNewer }: TranslateOptions,
): Translation {
  const answers: Answers = { refused: new WeakSet(), untranslatable: new WeakSet() }
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
      const spoken = hintsOf(request).apiVersion
      if (spoken === undefined) return false
      const loss = lossOf(versions.get(endpoint)!, spoken)
      return Number.isFinite(loss) && [...versions.values()].every((other) => lossOf(other, spoken) >= loss)
    },
    isRefusal: (response) => answers.refused.has(response),
    isLastResort: (response) => answers.untranslatable.has(response),
  }
}

/**
 * Rates how much a caller loses by a node's version: nothing by their own, little by a later one, more the earlier it is, since nobody
 * knows what it leaves out. Among nodes of later versions the given order holds.
 */
function lossOf({ known }: SpecVersion, spoken: string): number {
  if (known === undefined) return Number.POSITIVE_INFINITY
  const steps = starknetVersions.findIndex((each) => each === spoken) - starknetVersions.indexOf(known)
  return steps < 0 ? 1 : 2 * steps
}

/** The errors that the adapter made itself. */
interface Answers {
  /** The call has no form in the node's version. */
  readonly refused: WeakSet<RpcResponse>
  /** The node's answer has no form in the caller's version. */
  readonly untranslatable: WeakSet<RpcResponse>
}

/** Codes of a node that was asked in another version than its own: no such method, no such params. */
const misunderstood = new Set([-32601, -32602])

function translating(
  node: RpcHandler,
  version: SpecVersion,
  maxBytes: number,
  { refused, untranslatable }: Answers,
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
    const caller = starknetVersions.find((known) => known === hintsOf(request).apiVersion)
    if (hintsOf(request).apiVersion === undecided) {
      const spoken = await version.current(context)
      if (takesOldTransactions.has(spoken)) return { result: rawJsonFromValue(usual) }
      const response = { error: withPath(unnamed(spoken), spoken) }
      refused.add(response)
      return response
    }
    // The gateway's own questions are the same in every version.
    if (caller === undefined) return node(request, context)
    let spoken = await version.current(context)
    // Perhaps another node speaks the caller's version; a node that is never asked would never tell.
    if (spoken !== caller) onOther()
    let answered: RpcResponse | undefined
    const ask: RpcHandler = async (inner, at) => (answered = await node(inner, at))
    const askIn = (other: StarknetVersion): Promise<RpcResponse> => {
      answered = undefined
      return adapterOf(caller, other)(ask)(request, context)
    }
    let response = await askIn(spoken)
    if (isDoubtful(response, answered)) {
      version.doubt()
      // Nothing was done: the call was not sent, not understood, or a read. A node that was upgraded takes it in its new version.
      const now = await version.current(context).catch(() => spoken)
      if (now !== spoken) response = await askIn((spoken = now))
    }
    if (response.error === undefined) return withOrigin(response)
    if (answered?.error !== undefined) return response
    const reported = { ...response, error: withPath(response.error, spoken) }
    if (answered === undefined) refused.add(reported)
    else untranslatable.add(reported)
    return reported
  }
}

/** The version of callers who name none. */
const usual: StarknetVersion = '0.5.1'

/** Versions whose nodes take transactions of {@link usual}. */
const takesOldTransactions: ReadonlySet<StarknetVersion> = new Set(['0.5.1', '0.6', '0.7'])

/** The refusal to tell a library the usual version: it would give up, and not say which path to use. */
function unnamed(spoken: StarknetVersion): RpcErrorObject {
  const reason = `the URL names no version, so its callers speak ${usual}, and the node speaks ${spoken}`
  return { code: -32603, message: reason, data: { caller: usual, endpoint: spoken, reason } }
}

/** Marks a translated answer as the gateway tells it. */
function withOrigin(response: RpcResponse): RpcResponse {
  const from = adaptedFromNode.of(response.meta)
  return from === undefined ? response : { ...response, meta: adaptedFrom.on(response.meta ?? {}, printOrigin(from)) }
}

function printOrigin({ version, unknown }: AdaptedFrom): string {
  return unknown.length === 0 ? version : `${version}; unknown="${unknown.join(' ')}"`
}

/** Names the path that needs no translation: a library that speaks the node's version may not know that the URL says it. */
function withPath({ code, message, data }: RpcErrorObject, spoken: StarknetVersion): RpcErrorObject {
  const path = `/rpc/${pathOf(spoken)}`
  const words = `${message}; to speak ${spoken}, end the URL with ${path}`
  return { code, message: words, data: { ...(data as object), path } }
}

/** Tells whether a translation failed, perhaps because the node's version has changed. */
function isDoubtful(response: RpcResponse, answered: RpcResponse | undefined): boolean {
  return response.error !== undefined && (answered?.error === undefined || misunderstood.has(answered.error.code))
}
