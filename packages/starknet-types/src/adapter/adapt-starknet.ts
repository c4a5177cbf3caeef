import {
  collectStream,
  defineExtension,
  type Extension,
  isStream,
  RpcError,
  type RpcContext,
  type RpcErrorObject,
  type RpcMiddleware,
  type RpcRequest,
  type RpcResponse,
  type RpcResult,
  rawJsonFromValue,
} from '@wayleave/jsonrpc-core'
import { adaptCalls, type AdaptedCall, type AdapterOptions } from './adapt.ts'
import type { ErrorParts } from './error.ts'
import { type ExactJson, readExact } from './exact-json.ts'
import { methods } from './methods.ts'
import type { StarknetVersion } from '../versions.ts'
import { refusalOf, UntranslatableError } from './untranslatable.ts'

export interface AdaptStarknetOptions extends AdapterOptions {
  /** Most bytes of an answer that is held to be adapted; a longer one rejects as `too_large`. Default 64 MiB. */
  readonly maxBytes?: number
}

/** The origin of an answer that was changed for its caller. */
export interface AdaptedFrom {
  /** The version that the node answered in. */
  readonly version: StarknetVersion
  /** Members, by name or path, that only fill in what the caller's version requires: nobody knows their values. */
  readonly unknown: readonly string[]
}

/** The mark of an answer that was changed; carried by its meta, since an answer holds the members of its version alone. */
export const adaptedFrom: Extension<AdaptedFrom> = /*#__PURE__*/ defineExtension<AdaptedFrom>('adaptedFrom')

/**
 * A middleware that lets callers of one version of the Starknet RPC ask nodes of another one. Answers that both versions say
 * alike pass byte for byte, also as a stream. The others are held, adapted and printed anew, each number as it came, and marked by
 * {@link adaptedFrom}.
 */
export function adaptStarknet(options: AdaptStarknetOptions): RpcMiddleware<RpcContext> {
  const { caller, endpoint, maxBytes = 64 * 1024 * 1024 } = options
  if (caller === endpoint) return (next) => next
  const unknown = new Set<string>()
  const adapt = adaptCalls({ caller, endpoint, onUnknown: (name) => void unknown.add(name) })

  async function adaptResult(call: AdaptedCall, response: RpcResult): Promise<RpcResponse> {
    if (call.answer === undefined) return response
    const held = isStream(response.result) ? await collectStream(response.result, maxBytes) : response.result
    if (held.byteLength > maxBytes) throw new RpcError('too_large', `the result is longer than ${maxBytes} bytes`)
    try {
      const { value, print } = readExact(held)
      unknown.clear()
      const adapted = call.answer(value)
      if (adapted === value) return { ...response, result: held }
      const meta = adaptedFrom.on(response.meta ?? {}, { version: endpoint, unknown: [...unknown] })
      return { ...response, result: print(adapted), meta }
    } catch (thrown) {
      if (!(thrown instanceof UntranslatableError)) throw tooDeep(thrown)
      return { error: refusalOf({ caller, endpoint }, thrown), ...(response.meta && { meta: response.meta }) }
    }
  }

  return (next) => async (request, context) => {
    // The params of a method that no version has are not read.
    const { params } = Object.hasOwn(methods, request.method) ? request : {}
    const read = params && shallow(() => readExact(params))
    const adaptation = adapt(request.method, read?.value)
    if ('refusal' in adaptation) return { error: adaptation.refusal }
    if ('answer' in adaptation) return { result: rawJsonFromValue(adaptation.answer) }
    const { call } = adaptation
    const response = await next(asAsked(request, call, read), context)
    if (response.error === undefined) return adaptResult(call, response)
    const error = call.error === undefined ? response.error : adaptFailure(response.error, call.error)
    return error === response.error ? response : { ...response, error }
  }
}

function asAsked(request: RpcRequest, { method, params }: AdaptedCall, read: ExactJson | undefined): RpcRequest {
  const named = method === request.method ? request : { ...request, method }
  if (read === undefined || params === read.value) return named
  return { ...named, params: shallow(() => read.print(params)) }
}

/** Adapts an error from the peer's own bytes, since these are what is sent on. */
function adaptFailure(error: RpcErrorObject, adapt: (error: ErrorParts) => ErrorParts): RpcErrorObject {
  return shallow(() => {
    const { value, print } = readExact(error.raw ?? rawJsonFromValue(error))
    const adapted = adapt(value as ErrorParts)
    if (adapted === value) return error
    const raw = print(adapted)
    return { ...(raw.parse() as ErrorParts), raw }
  })
}

/** Runs `make`. @throws RpcError `too_large` where its value nests deeper than the engine's stack */
function shallow<T>(make: () => T): T {
  try {
    return make()
  } catch (thrown) {
    throw tooDeep(thrown)
  }
}

/** The engine's own error for a value that nests thousands deep. */
function tooDeep(thrown: unknown): unknown {
  return thrown instanceof RangeError ? new RpcError('too_large', 'the value nests too deep to be adapted') : thrown
}
