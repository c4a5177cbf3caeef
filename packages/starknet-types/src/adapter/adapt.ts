import type { RpcErrorObject } from '@wayleave/jsonrpc-core'
import { isBefore, type StarknetVersion } from '../versions.ts'
import { type Convert, converterOf } from './answer.ts'
import { errorAdapter, type ErrorParts } from './error.ts'
import { methods } from './methods.ts'
import { byName, adaptParams } from './params.ts'
import { checkTransactions } from './transaction.ts'
import { refusalOf, untranslatable, UntranslatableError } from './untranslatable.ts'

/** A call as the endpoint's version has it, and how its answer becomes one of the caller's version. */
export interface AdaptedCall {
  readonly method: string
  /** As parsed JSON: an object or an array, as the caller wrote them; the same value where nothing changes. */
  readonly params: unknown
  /**
   * Parsed JSON to parsed JSON, the same value where nothing changes; undefined: every answer passes byte for byte.
   * @throws RangeError for an answer that the caller's version cannot say
   */
  readonly answer: ((result: unknown) => unknown) | undefined
  /** An error's members to those of an error of the caller's version, the same value where nothing changes. */
  readonly error: ((error: ErrorParts) => ErrorParts) | undefined
}

/**
 * A call of a caller's version for an endpoint of another one: `call`; or `answer`, which is known without asking;
 * or `refusal` where it cannot be said there without making something up.
 */
export type Adaptation =
  | { readonly call: AdaptedCall }
  | { readonly answer: unknown }
  | { readonly refusal: RpcErrorObject }

/** Adapts one call: a method and its params as parsed JSON. Throws nothing. */
export type AdaptCall = (method: string, params: unknown) => Adaptation

export interface AdapterOptions {
  /** Whom it answers. */
  readonly caller: StarknetVersion
  /** What the node speaks. */
  readonly endpoint: StarknetVersion
}

/** What `starknet_specVersion` answers for each version: the published release that its rules are those of. */
const specVersions: Readonly<Record<StarknetVersion, string>> = {
  '0.5.1': '0.5.1',
  '0.6': '0.6.0',
  '0.7': '0.7.1',
  '0.8': '0.8.1',
  '0.9': '0.9.0',
  '0.10': '0.10.1',
}

/**
 * The pure core of the adapter: a caller's call as one of the endpoint's version, and the way back for its answer.
 * Methods that no version defines, and all of them between equal versions, pass as they are.
 */
export function adaptCalls(options: AdapterOptions): AdaptCall {
  const pair = { caller: options.caller, endpoint: options.endpoint }
  const passes = (method: string, params: unknown): Adaptation => ({
    call: { method, params, answer: undefined, error: undefined },
  })
  if (pair.caller === pair.endpoint) return passes
  const errorOf = errorAdapter(pair)
  const converters = new Map<string, Convert | undefined>()

  function adapt(method: string, params: unknown): Adaptation {
    const row = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (row === undefined) return passes(method, params)
    for (const [who, version] of [
      ['the caller', pair.caller],
      ['the node', pair.endpoint],
    ] as const) {
      if (isBefore(version, row.since))
        throw untranslatable(pair, `${method} is in ${row.since} and later, and ${who} speaks ${version}`, -32601)
    }
    if (method === 'starknet_specVersion') return { answer: specVersions[pair.caller] }
    if (row.session)
      throw untranslatable(pair, `subscriptions are not adapted, so ${method} needs equal versions`, -32601)
    const named = byName(pair, row, params)
    const transactions = row.transactions === undefined ? undefined : named?.[row.transactions]
    checkTransactions(pair, method, transactions)
    // First what is wrong with the call itself.
    const adapted = adaptParams(pair, method, row, params)
    let convert = converters.get(method)
    if (!converters.has(method)) converters.set(method, (convert = converterOf(pair, method, row.answer)))
    return { call: { method, params: adapted, answer: convert, error: errorOf(method, transactions) } }
  }

  return (method, params) => {
    try {
      return adapt(method, params)
    } catch (thrown) {
      if (thrown instanceof UntranslatableError) return { refusal: refusalOf(pair, thrown) }
      throw thrown
    }
  }
}
