import type { RpcErrorObject } from '@wayleave/jsonrpc-core'
import { isBefore, type StarknetVersion } from '../versions.ts'
import { type Convert, converterOf } from './answer.ts'
import { errorAdapter, type ErrorParts } from './error.ts'
import { methods } from './methods.ts'
import { countsEvents, withoutReceipts } from './block.ts'
import { byName, adaptParams } from './params.ts'
import { checkTransactions } from './transaction.ts'
import { refusalOf, untranslatable, UntranslatableError } from './untranslatable.ts'

/** A call in the endpoint's version, and the functions that translate its answer back into the caller's. */
export interface AdaptedCall {
  readonly method: string
  /** As parsed JSON: an object or an array, as the caller wrote them; the same value where nothing changes. */
  readonly params: unknown
  /**
   * Parsed JSON to parsed JSON, the same value where nothing changes; undefined: every answer passes byte for byte.
   * @throws RangeError for an answer that cannot be told in the caller's version
   */
  readonly answer: ((result: unknown) => unknown) | undefined
  /** Translates an error into one of the caller's version; the same value where nothing changes. */
  readonly error: ((error: ErrorParts) => ErrorParts) | undefined
}

/**
 * The fate of a caller's call for an endpoint of another version: `call` is to be sent; `answer` is known without asking;
 * `refusal` tells why it cannot be translated without making something up.
 */
export type Adaptation =
  | { readonly call: AdaptedCall }
  | { readonly answer: unknown }
  | { readonly refusal: RpcErrorObject }

/** Adapts one call: a method and its params as parsed JSON. Throws nothing. */
export type AdaptCall = (method: string, params: unknown) => Adaptation

export interface AdapterOptions {
  /** The version of the caller. */
  readonly caller: StarknetVersion
  /** The version of the node. */
  readonly endpoint: StarknetVersion
}

export interface AdaptCallsOptions extends AdapterOptions {
  /**
   * Called while an answer is translated, for each member that only fills in what the caller's version requires:
   * `execution_resources.steps`. Default: nobody is told.
   */
  readonly onUnknown?: ((name: string) => void) | undefined
}

/** The answer of `starknet_specVersion` in each version: a published release that libraries know, whose rules it has. */
const specVersions: Readonly<Record<StarknetVersion, string>> = {
  '0.5.1': '0.5.1',
  '0.6': '0.6.0',
  '0.7': '0.7.1',
  '0.8': '0.8.1',
  '0.9': '0.9.0',
  '0.10': '0.10.0',
}

/**
 * The pure core of the adapter: translates a caller's call into the endpoint's version, and its answer back. Methods that no
 * version defines pass as they are, and so do all methods between equal versions.
 */
export function adaptCalls({ caller, endpoint, onUnknown }: AdaptCallsOptions): AdaptCall {
  const pair = { caller, endpoint, onUnknown }
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
    // Faults of the call itself are told first.
    const adapted = adaptParams(pair, method, row, params)
    const counts = countsEvents(pair, method, named)
    let convert = converters.get(method)
    if (!converters.has(method)) converters.set(method, (convert = converterOf(pair, method, row.answer)))
    const answer = counts ? (block: unknown) => convert!(withoutReceipts(pair, method, block)) : convert
    const asked = counts ? 'starknet_getBlockWithReceipts' : method
    return { call: { method: asked, params: adapted, answer, error: errorOf(method, transactions) } }
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
