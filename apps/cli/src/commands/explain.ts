import { fail } from '../accounts/ask-admin.ts'
import { accountFlags, readNamedArgs } from '../accounts/flags.ts'
import { gatewayPlace } from '../accounts/gateway-place.ts'
import { type Command, UsageError } from '../command.ts'
import { askExplain, traceIdForm } from '../explain/ask-explain.ts'
import { visible } from '../output/visible.ts'
import { listCalls, printCalls } from './explain-print.ts'

const { config: _config, store: _store, ...flags } = accountFlags

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
    const { values, positionals } = readNamedArgs(args, flags, ['ID?'])
    const [id] = positionals
    if (id !== undefined && !traceIdForm.test(id))
      throw new UsageError('expected a trace id, as in the header X-Trace-Id')
    const { calls, fault } = await askExplain(await gatewayPlace(values, io), id)
    if (calls === undefined) return fail('explain', fault, values.json, io)
    if (values.json) io.stdout(calls.map((call) => visible(`${JSON.stringify(call)}\n`)).join(''))
    else if (id === undefined) listCalls(calls, io)
    else printCalls(calls, io)
    return 0
  },
}
