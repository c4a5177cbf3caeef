import { RevertError, RpcError } from '@wayleave/client'
import { cutParts, type RpcErrorObject } from '@wayleave/jsonrpc-core'
import type { CommandIo } from '../command.ts'
import { layOut } from '../output/json-layout.ts'
import { visible } from '../output/visible.ts'
import { addressOf, type CallFlagValues } from './call-flags.ts'
import { whyNoConnection } from './no-connection.ts'

/** Explains an error further in one line; undefined where there is nothing to add. */
type Hint = (failure: RpcError) => Promise<string | undefined>

/** Runs a call. Reports an `RpcError`, in text with its `hint`, and resolves with exit code 1; anything else thrown is a bug. */
export async function reportFailure(
  io: CommandIo,
  flags: Pick<CallFlagValues, 'rpc-url' | 'json'>,
  run: () => Promise<number>,
  hint?: Hint,
): Promise<number> {
  try {
    return await run()
  } catch (thrown) {
    if (!(thrown instanceof RpcError)) throw thrown
    // Any other message may be the peer's own words.
    const why = isUnreached(thrown) ? whyNoConnection(thrown, addressOf(flags, io.env)) : inOwnWords(thrown)
    if (flags.json) io.stdout(`{"error":${printError(thrown, why)}}\n`)
    else io.stderr(explain(thrown, why, await hint?.(thrown)))
    return 1
  }
}

function isUnreached({ code, message }: RpcError): boolean {
  // A port without TLS accepts the connection first.
  return code === 'connect' || (code === 'disconnected' && message.includes('(ERR_SSL_'))
}

/** Says in the words of this command what the client says in those of its options. */
function inOwnWords({ code, message }: RpcError): string | undefined {
  return code === 'unavailable' ? message.replace(/ and an apiKey$/, ', which ends in /v3/KEY') : undefined
}

/** Prints an error as JSON; its data keeps all digits. */
function printError(error: RpcError, why: string | undefined): string {
  const { rpc: answered, code, message } = error
  if (answered === undefined) return JSON.stringify({ code, message: why ?? message })
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

/** Explains an error: `why`, or its message, which holds the peer's own words, and hints. */
function explain(error: RpcError, why: string | undefined, hint: string | undefined): string {
  const { code, message, httpStatus, rpc: answered } = error
  const lines = [why ?? message]
  if (error instanceof RevertError) lines.push(...explainRevert(error))
  const data = answered && dataOf(answered)
  const trace = /^\{"traceId":"([\da-f]{32})"\}$/.exec(data ?? '')?.[1]
  if (trace !== undefined) lines.push(`trace id: ${trace}`)
  else if (data !== undefined) lines.push(`data: ${data}`)
  if (code === 'connect' && why === undefined) lines.push(connectHint)
  if (code === 'timeout') lines.push('The node took too long: --timeout SECONDS allows more.')
  if (httpStatus === 401) lines.push('The key or its secret was refused: check the URL.')
  if (hint !== undefined) lines.push(`hint: ${hint}`)
  return visible(`${lines.join('\n')}\n`)
}

/** Advice where no connection could be made, and nobody knows why. */
export const connectHint =
  'Is the node running, and the URL right? wayleave dev starts a local gateway, and --rpc-url names another.'

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
