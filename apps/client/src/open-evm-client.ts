import { evmRules, type EvmSchema } from '@wayleave/evm-types'
import { createRpcClient, RpcError, subscribe } from '@wayleave/jsonrpc-core'
import { iterateEvents } from '@wayleave/jsonrpc-core/websocket'
import { assertValid, SchemaError } from '@wayleave/jsonrpc-core/schema'
import { completeParams } from './complete-params.ts'
import { connect, type Connection, type ConnectionOptions, type ConnectionParts } from './connection.ts'
import { assertEcho } from './echo.ts'
import { assertSubscription } from './events/event-params.ts'
import type { EvmClient } from './evm-client.ts'
import { methodsOf, transactionIssue } from './methods.ts'
import { requestRaw } from './request-raw.ts'
import { toRevertError } from './revert-error.ts'

/** A client of EVM nodes, and what carries its calls. */
export interface OpenEvmClient {
  readonly client: EvmClient
  readonly connection: Connection
  readonly timeoutMs: number
}

/** Creates the part of a client that speaks to EVM nodes. @throws TypeError for unusable options */
export function openEvmClient(options: ConnectionOptions, parts: ConnectionParts): OpenEvmClient {
  const { timeoutMs = 30_000 } = options
  const connection = connect(options, parts)
  const { handler, calls: callHandler, redaction, close } = connection
  const calls = createRpcClient(callHandler, { timeoutMs })

  const requestUnchecked: EvmClient['requestUnchecked'] = async (method, params, callOptions) => {
    try {
      const result: unknown = await calls.requestUnchecked(method, params, callOptions)
      assertEcho(method, params, result)
      return result as never
    } catch (thrown) {
      throw redaction.error(toRevertError(thrown))
    }
  }

  const request: EvmClient['request'] = async (method, params, callOptions) => {
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

  const client: EvmClient = {
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
  return { client, connection, timeoutMs }
}
