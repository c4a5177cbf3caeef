import { helpOf, listOf, namedIn, uncheckedHelp } from '../call/method-help.ts'
import { findMethod, methodsUnder } from '../call/methods.ts'
import { callFlags, callFlagsHelp } from '../call/call-flags.ts'
import { readParams } from '../call/read-params.ts'
import { runMethod } from '../call/run-method.ts'
import { type Command, UsageError } from '../command.ts'
import { readArgs } from '../read-args.ts'

const methods = methodsUnder('rollup', 'optimism')

const options = { ...callFlags, unchecked: { type: 'boolean', default: false } } as const

const help = `Usage: wayleave rollup METHOD [options]

${listOf(methods)}

${callFlagsHelp}
${uncheckedHelp}

Without a URL it asks the rollup-dev network of the local wayleave dev. An op-node answers sync-status on its own port:
name that by --rpc-url.
Exit code 0: a result; 1: an error or no answer, on stderr; 2: used wrongly.
`

/** `wayleave rollup`: calls the methods of rollup nodes by name. */
export const rollup: Command = {
  help: (args) => {
    const name = namedIn(args, options)
    return name === undefined ? help : helpOf('rollup', findMethod(name, methods))
  },
  async run(args, io) {
    const { values, positionals } = readArgs(args, options)
    const [name, ...texts] = positionals
    if (name === undefined) throw new UsageError('expected a METHOD: get-info or sync-status')
    const method = findMethod(name, methods)
    return runMethod(method, readParams(method, texts, {}, values.unchecked), values, io, 'rollup-dev')
  },
}
