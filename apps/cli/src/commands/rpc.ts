import { text as readAll } from 'node:stream/consumers'
import type { RpcError } from '@wayleave/client'
import { classifyNodeError } from '@wayleave/evm-types'
import { kebabOf, methodNamed, methodSummaries, plain } from '../call/methods.ts'
import { networkHint } from '../call/network-hint.ts'
import { callFlags, callFlagsHelp } from '../call/call-flags.ts'
import { openClient } from '../call/open-client.ts'
import { reportFailure } from '../call/report.ts'
import { type Command, UsageError } from '../command.ts'
import { readExact } from '../output/exact-json.ts'
import { layOut } from '../output/json-layout.ts'
import { printLine } from '../output/visible.ts'
import { suggest } from '../suggest.ts'
import { readArgs, switchFlags } from '../read-args.ts'

/** `wayleave rpc`: makes one call and prints its result as it came. */
export const rpc: Command = {
  words: async () => [...methodSummaries(), ...(await import('../call/starknet-methods.ts')).starknetSummaries()],
  help: `Usage: wayleave rpc METHOD [PARAM...] [options]

Each PARAM is JSON where it parses as JSON, else text:
  wayleave rpc eth_chainId
  wayleave rpc eth_getBalance 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 latest
  wayleave rpc eth_call '{"to":"0x…","data":"0x…"}' latest
  echo '["0x…","latest"]' | wayleave rpc eth_getBalance --raw

${callFlagsHelp}
  --raw               read the params from stdin: one JSON array or object
  --unchecked         send the PARAMs of known methods as they are, right or wrong

Params and result pass as text: no number loses a digit. A text is printed as it is, anything else as indented JSON.
A secret goes before the host: https://:SECRET@HOST/v3/KEY
Exit code 0: a result; 1: an error, on stderr; 2: used wrongly.
`,
  async run(args, io) {
    const { values, positionals } = readArgs(args, {
      ...callFlags,
      ...switchFlags('raw', 'unchecked'),
    })
    const [method, ...texts] = positionals
    if (method === undefined) throw new UsageError('expected a METHOD, such as eth_chainId')
    if (values.raw && texts.length > 0) throw new UsageError('--raw: the params come from stdin, not as arguments')
    const params = values.raw ? readParams(await readAll(io.process.stdin)) : `[${texts.map(asJson).join(',')}]`
    if (!values.unchecked) checkParams(method, params)
    const client = openClient(values, io.env)
    try {
      const hint = async (failure: RpcError): Promise<string | undefined> =>
        nearMethod(method, failure) ?? (await networkHint(method, failure, values, io.env, client))
      return await reportFailure(
        io,
        values,
        async () => {
          const json = await client.requestRaw(method, params)
          const result = values.json ? undefined : readExact(json)
          const text = typeof result === 'string' ? result : layOut(json, values.json ? 0 : 2)
          io.stdout(printLine(text, io.process.stdout))
          return 0
        },
        hint,
      )
    } finally {
      await client.close()
    }
  },
}

/** Suggests the name that was meant, of a method that the node lacks and nobody knows. */
function nearMethod(method: string, { rpc: answered }: RpcError): string | undefined {
  if (answered === undefined || classifyNodeError(answered) !== 'method_not_found') return undefined
  const names = methodSummaries().map(({ name }) => name)
  const bare = plain(method)
  const meant = names.find((name) => plain(kebabOf(name)) === bare)
  const near = names.includes(method)
    ? ''
    : meant === undefined
      ? suggest(method, names)
      : ` (did you mean "${meant}"?)`
  return near === '' ? undefined : `no method is called ${method}${near}`
}

/** Keeps JSON as it is, and quotes any other text as a JSON string. */
function asJson(text: string): string {
  return isJson(text) ? text : JSON.stringify(text)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function readParams(text: string): string {
  if (isJson(text) && /^\s*[[{]/.test(text)) return text
  throw new UsageError('--raw: expected one JSON array or object on stdin')
}

function checkParams(name: string, params: string): void {
  const issue = methodNamed(name)?.params.check(JSON.parse(params), '')
  if (issue === undefined) return
  throw new UsageError(
    `${name} params${issue.path}: expected ${issue.expected}, got ${issue.received}; --unchecked sends it all the same`,
  )
}
