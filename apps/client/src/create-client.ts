import { evmRules, type EvmSchema } from '@wayleave/evm-types'
import { createRpcClient, RpcError, subscribe } from '@wayleave/jsonrpc-core'
import { iterateEvents } from '@wayleave/jsonrpc-core/websocket'
import { assertValid, SchemaError } from '@wayleave/jsonrpc-core/schema'
import type { ApiHost, ApisOf, ClientApis } from './api.ts'
import { assertOptions } from './assert-options.ts'
import type { Client } from './client.ts'
import { completeParams } from './complete-params.ts'
import { connect } from './connection.ts'
import { assertEcho } from './echo.ts'
import { assertSubscription } from './events/event-params.ts'
import type { ClientOptions } from './options.ts'
import { methodsOf, transactionIssue } from './methods.ts'
import { requestRaw } from './request-raw.ts'
import { toRevertError } from './revert-error.ts'

/**
 * Creates a typed client for Wayleave, or for any EVM node; `apis` adds gas fees, IPFS and Starknet. Nothing is opened before the first call.
 * @throws TypeError for unusable options, AuthError for a secret that HTTP Basic cannot carry.
 */
export function createClient<const A extends ClientApis>(
  options: ClientOptions & { readonly apis: A },
): Client & ApisOf<A>
export function createClient(options: ClientOptions): Client
export function createClient(options: ClientOptions): Client {
  assertOptions(options, 'createClient')
  const { url, apiKey, apiKeySecret, timeoutMs = 30_000, apis = {} } = options
  const { handler, calls: callHandler, redaction, bearer, close } = connect(options, apis)
  const calls = createRpcClient(callHandler, { timeoutMs })

  const requestUnchecked: Client['requestUnchecked'] = async (method, params, callOptions) => {
    try {
      const result: unknown = await calls.requestUnchecked(method, params, callOptions)
      assertEcho(method, params, result)
      return result as never
    } catch (thrown) {
      throw redaction.error(toRevertError(thrown))
    }
  }

  const request: Client['request'] = async (method, params, callOptions) => {
    if (!Object.hasOwn(evmRules, method)) throw new TypeError(`${method} is not in the table: use requestUnchecked`)
    const spec = evmRules[method]
    const complete = completeParams(method, spec, params)
    assertValid(spec.params, complete as EvmSchema[typeof method]['params'], `${method} params`)
    const result = await requestUnchecked(method, complete, callOptions)
    const issue = spec.result.check(result, '') ?? transactionIssue(method, complete, result)
    if (issue === undefined) return result as never
    const cause = new SchemaError(`${method} result`, issue)
    throw redaction.error(new RpcError('invalid_response', cause.message, { cause }))
  }

  const client: Client = {
    request,
    requestUnchecked,
    async requestRaw(method, params, callOptions) {
      try {
        return await requestRaw(callHandler, method, params, { timeoutMs, ...callOptions })
      } catch (thrown) {
        throw redaction.error(thrown)
      }
    },
    async subscribe(params, subscriber, callOptions) {
      assertSubscription(params)
      return subscribe(handler, 'eth_subscribe', params, subscriber, { timeoutMs, ...callOptions })
    },
    async events(params, eventOptions) {
      assertSubscription(params)
      return iterateEvents(handler, 'eth_subscribe', params, { timeoutMs, ...eventOptions })
    },
    eth: methodsOf(request, 'eth'),
    rollup: methodsOf(request, 'rollup', 'optimism'),
    handler,
    close,
    [Symbol.asyncDispose]: close,
  }
  const host: ApiHost = { url, apiKey, apiKeySecret, timeoutMs, handler, requestUnchecked, bearer, redaction }
  const opened = Object.entries(apis).map(([name, api]) => [name, api.open(host)])
  return { ...client, ...Object.fromEntries(opened) }
}
