import {
  createContext,
  isStream,
  type RawJson,
  rawJsonFromText,
  type RpcContext,
  type RpcHandler,
  type RpcResponse,
  systemClock,
} from '@wayleave/jsonrpc-core'
import { networkKinds } from '../../src/kinds/index.ts'
import { composeStages } from '../../src/kinds/stage.ts'

/** A node that keeps the calls that reach it, as `method params`. */
export function recordingNode(
  answer: (method: string) => RpcResponse | Promise<RpcResponse> = () => ({ result: rawJsonFromText('"0x"') }),
): {
  readonly handler: RpcHandler
  readonly asked: string[]
} {
  const asked: string[] = []
  return {
    asked,
    handler: async ({ method, params }) => {
      asked.push(params === undefined ? method : `${method} ${params.text()}`)
      return answer(method)
    },
  }
}

/** Sends one call, its params as text, through the rules of an EVM network. */
export function throughRules(node: RpcHandler, clock = systemClock, header?: () => RawJson | undefined) {
  const rules = networkKinds.evm.rules({ rollupNode: undefined, rollupMode: undefined, clock, header })
  const handler = composeStages(rules, node)
  return (method: string, params?: string, context: RpcContext = createContext()): Promise<RpcResponse> =>
    handler(
      { method, params: params === undefined ? undefined : rawJsonFromText(params), notification: false },
      context,
    )
}

/** The params that one call had on its way to the node. */
export async function became(method: string, params: string): Promise<string> {
  const { handler, asked } = recordingNode()
  await throughRules(handler)(method, params)
  if (asked.length !== 1) throw new Error(`one call was expected, not: ${asked.join('; ')}`)
  return asked[0]!.slice(method.length + 1)
}

/** The text of a whole result. */
export function textOf(response: RpcResponse): string {
  if (response.result === undefined || isStream(response.result)) throw new Error('a whole result was expected')
  return response.result.text()
}
