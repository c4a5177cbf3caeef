import { RevertError, RpcError } from '@wayleave/client'
import { cutParts, type RpcErrorObject } from '@wayleave/jsonrpc-core'
import type { CommandIo } from '../command.ts'
import { layOut } from '../output/json-layout.ts'
import { visible } from '../output/visible.ts'

/** Runs a call. Reports an `RpcError` and resolves with exit code 1; anything else thrown is a bug. */
export async function reportFailure(io: CommandIo, json: boolean, run: () => Promise<number>): Promise<number> {
  try {
    return await run()
  } catch (thrown) {
    if (!(thrown instanceof RpcError)) throw thrown
    if (json) io.stdout(`{"error":${printError(thrown)}}\n`)
    else io.stderr(explain(thrown))
    return 1
  }
}

/** Prints an error as JSON; its data keeps all digits. */
function printError(error: RpcError): string {
  const { rpc: answered, code, message } = error
  if (answered === undefined) return JSON.stringify({ code, message })
  const data = dataOf(answered)
  const isKnown = error instanceof RevertError && !/^(?:unknown|invalid)$/.test(error.revert.kind)
  const members = [
    `"code":${answered.code},"message":${JSON.stringify(answered.message)}`,
    ...(data === undefined ? [] : [`"data":${data}`]),
    ...(isKnown ? [`"revert":${JSON.stringify(printable(error.revert))}`] : []),
  ]
  return `{${members.join(',')}}`
}

/** Returns the data of an error as the JSON text that came, in one line. */
function dataOf({ data, raw }: RpcErrorObject): string | undefined {
  if (data === undefined) return undefined
  const text = raw?.text() ?? ''
  let own = JSON.stringify(data)
  cutParts(text, 0, (start, end, key) => {
    if (key === 'data') own = text.slice(start, end)
  })
  return layOut(own, 0)
}

/** Replaces bigints by hex, as JSON has no bigint. */
function printable(reason: object): object {
  return Object.fromEntries(
    Object.entries(reason).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? `0x${value.toString(16)}` : value,
    ]),
  )
}

/** Explains an error: its message, the peer's own words if the message lacks them, and a hint. */
function explain(error: RpcError): string {
  const { code, message, httpStatus, rpc: answered } = error
  const lines = [code === 'http_status' && answered !== undefined ? `${message}: ${answered.message}` : message]
  if (error instanceof RevertError) lines.push(...explainRevert(error))
  const data = answered && dataOf(answered)
  if (data !== undefined) lines.push(`data: ${data}`)
  if (code === 'connect')
    lines.push('Is the node running, and the URL right? `npm start` runs a local node; --rpc-url names another.')
  if (code === 'timeout') lines.push('The node took too long: --timeout SECONDS allows more.')
  if (httpStatus === 401) lines.push('The key or its secret was refused: check the URL.')
  return visible(`${lines.join('\n')}\n`)
}

function explainRevert({ revert }: RevertError): readonly string[] {
  switch (revert.kind) {
    case 'error':
      return [`reverted: ${JSON.stringify(revert.message)}`]
    case 'panic':
      return [
        `reverted: panic 0x${revert.code.toString(16).padStart(2, '0')}, ${revert.meaning ?? 'of no known meaning'}`,
      ]
    case 'custom':
      return [`reverted: custom error ${revert.signature ?? revert.selector}`, ...wordsOf(revert.args)]
    case 'empty':
      return ['reverted: without a reason']
    default:
      return []
  }
}

/** Splits the arguments of a custom error into words, one per line. */
function wordsOf(args: string): readonly string[] {
  return (args.slice(2).match(/.{64}/g) ?? []).map((word, i) => `  [${i}] 0x${word}`)
}
