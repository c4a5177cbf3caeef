import type { Explanation } from '@wayleave/gateway'
import { askAdmin } from '../accounts/ask-admin.ts'
import { accountFlags, readArgs } from '../accounts/flags.ts'
import { gatewayPlace } from '../accounts/open-accounts.ts'
import { type Command, type CommandIo, UsageError } from '../command.ts'
import { oneLine, visible } from '../output/visible.ts'
import { listCalls, printCalls } from './explain-print.ts'

const { config: _config, store: _store, ...flags } = accountFlags

/** Longest refusal that is printed, in characters. */
const longestRefusal = 300
const form = /^[0-9a-f-]{1,64}(?:\.\d{1,16}){0,2}$/i

/** `wayleave explain`: tells what became of a call. */
export const explain: Command = {
  help: `Usage: wayleave explain [ID] [flags]

Tells what became of a call, and why: the upstreams that were asked and how they fared, those that were left alone, the cache, and the
cause in a sentence. ID is the trace id of its answer, in the header X-Trace-Id and in the data of errors; that of a batch or of a WebSocket
tells all its calls. Without it, lists the last calls that went badly. A gateway remembers the last thousand calls, and those that failed,
were refused or took a second for longer. Neither params nor keys are told.

  --admin URL         its admin listener; default $WAYLEAVE_ADMIN_URL, else http://127.0.0.1:8546
  --token-file FILE   an admin token of the scope read, in a file or on stdin (-); default $WAYLEAVE_ADMIN_TOKEN. A gateway without
                      tokens asks for none
  --token TOKEN       the same, but all users of this machine can see it
  --timeout SECONDS   default 30
  --json              one line for each call; an error as {"error":…}

Exit code: 0 told, 1 no such call is remembered, or the gateway did not answer.
`,
  async run(args, io) {
    const { values, positionals } = readArgs(args, flags, ['ID?'])
    const [id] = positionals
    if (id !== undefined && !form.test(id)) throw new UsageError('expected a trace id, as in the header X-Trace-Id')
    const { status, body } = await askAdmin(
      await gatewayPlace(values, io),
      'GET',
      id === undefined ? '/explain' : `/explain/${id}`,
    )
    const calls = status === 200 ? readCalls(body) : undefined
    if (calls === undefined) return fail(whyNot(status, body), values.json, io)
    if (values.json) io.stdout(calls.map((call) => visible(`${JSON.stringify(call)}\n`)).join(''))
    else if (id === undefined) listCalls(calls, io)
    else printCalls(calls, io)
    return 0
  },
}

function readCalls(body: string): readonly Explanation[] | undefined {
  try {
    const { calls } = JSON.parse(body) as { readonly calls: readonly Explanation[] }
    return calls.every((call) => isExplanation(call)) ? calls : undefined
  } catch {
    return undefined
  }
}

function isExplanation({ id, time, outcome, cause, ms, attempts, candidates }: Explanation): boolean {
  return (
    areTexts(id, time, outcome, cause) &&
    typeof ms === 'number' &&
    attempts.every(({ atMs, text }) => typeof atMs === 'number' && areTexts(text)) &&
    candidates.every(({ text }) => areTexts(text))
  )
}

function areTexts(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string')
}

/** Tells why there is no explanation, in the words of the gateway where it has some. */
function whyNot(status: number, body: string): string {
  const line = body.trim()
  const words =
    line === '' || line.startsWith('<') || line.startsWith('{') ? undefined : oneLine(line.slice(0, longestRefusal))
  if (status === 401)
    return `${words ?? 'it was refused'}; the token is that of $WAYLEAVE_ADMIN_TOKEN, --token-file or --token, and needs the scope read`
  if ([0, 400, 403, 404].includes(status) && words !== undefined) return words
  return `expected an explanation, got HTTP status ${status}: --admin URL names the admin listener of a gateway`
}

function fail(message: string, isJson: boolean, io: CommandIo): number {
  if (isJson) io.stdout(`${JSON.stringify({ error: { message } })}\n`)
  else io.stderr(visible(`wayleave explain: ${message}\n`))
  return 1
}
