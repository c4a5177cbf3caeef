import { parseArgs } from 'node:util'
import { createClient } from '@wayleave/client'
import { evmMethods } from '@wayleave/evm-types'
import { RpcError } from '@wayleave/jsonrpc-core'
import { assertValid, type Schema, SchemaError } from '@wayleave/jsonrpc-core/schema'
import { type Command, UsageError } from '../command.ts'
import { devKey } from '../dev-project.ts'

/** `wayleave rpc`: one call, its result on stdout. */
export const rpc: Command = {
  name: 'rpc',
  summary: 'call one JSON-RPC method and print its result',
  help: `Usage: wayleave rpc METHOD [PARAM...] [options]

Each PARAM is JSON where it parses as JSON, else text:
  wayleave rpc eth_chainId
  wayleave rpc eth_getBalance 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 latest
  wayleave rpc eth_call '{"to":"0x…","data":"0x…"}' latest

  --rpc-url URL       http(s) or ws(s); default $WAYLEAVE_RPC_URL, else the local wayleave dev
  --timeout SECONDS   default 30
  --json              print the result as one line of JSON, and an error as {"error":…}
  --unchecked         send the PARAMs of known methods as they are, right or wrong

A secret goes before the host: https://:SECRET@HOST/v3/KEY
Exit code 0: a result; 1: an error, on stderr; 2: used wrongly.
`,
  async run(args, { stdout, stderr, env }) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        'rpc-url': { type: 'string' },
        timeout: { type: 'string', default: '30' },
        json: { type: 'boolean', default: false },
        unchecked: { type: 'boolean', default: false },
      },
    })
    const [method, ...texts] = positionals
    if (method === undefined) throw new UsageError('expected a METHOD, such as eth_chainId')
    const seconds = Number(values.timeout)
    if (!(seconds > 0)) throw new UsageError(`--timeout: expected seconds above 0, got "${values.timeout}"`)
    const params = texts.map(readParam)
    if (!values.unchecked) checkParams(method, params)
    const url = values['rpc-url'] ?? env['WAYLEAVE_RPC_URL'] ?? `http://127.0.0.1:8545/v3/${devKey}`
    const client = openClient(url, seconds * 1_000)
    try {
      const result = await client.requestUnchecked(method, params)
      const isPlain = typeof result === 'string' && !values.json
      stdout(`${isPlain ? result : JSON.stringify(result, null, values.json ? 0 : 2)}\n`)
      return 0
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) throw thrown
      if (values.json) stdout(`${JSON.stringify({ error: errorOf(thrown) })}\n`)
      else stderr(explain(thrown))
      return 1
    } finally {
      await client.close()
    }
  },
}

function readParam(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function checkParams(method: string, params: readonly unknown[]): void {
  const table: Readonly<Record<string, { readonly params: unknown }>> = evmMethods
  if (!Object.hasOwn(table, method)) return
  try {
    assertValid(table[method]!.params as Schema<unknown>, params, `${method} params`)
  } catch (thrown) {
    if (!(thrown instanceof SchemaError)) throw thrown
    throw new UsageError(`${thrown.message}; --unchecked sends it all the same`)
  }
}

function openClient(url: string, timeoutMs: number): ReturnType<typeof createClient> {
  try {
    return createClient({ url, timeoutMs })
  } catch (thrown) {
    // None of these messages holds the URL.
    if (thrown instanceof Error) throw new UsageError(`--rpc-url: ${thrown.message.replace(/^url: /, '')}`)
    throw thrown
  }
}

function errorOf({ rpc: answered, code, message }: RpcError): object {
  return answered === undefined
    ? { code, message }
    : { code: answered.code, message: answered.message, data: answered.data }
}

/** The error, the peer's own words where the message has none, and what may help. */
function explain({ code, message, httpStatus, rpc: answered }: RpcError): string {
  const lines = [code === 'http_status' && answered !== undefined ? `${message}: ${answered.message}` : message]
  if (answered?.data !== undefined) lines.push(`data: ${JSON.stringify(answered.data)}`)
  if (code === 'connect')
    lines.push('Is the node running, and the key right? `npm start` runs a local node; --rpc-url names another.')
  if (httpStatus === 401) lines.push('The key or its secret was refused: check the URL.')
  return `${lines.join('\n')}\n`
}
