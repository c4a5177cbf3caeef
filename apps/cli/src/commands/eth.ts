import { parseArgs } from 'node:util'
import { helpOf, listOf, namedIn, uncheckedHelp } from '../call/method-help.ts'
import { findMethod, type Method, methodsUnder } from '../call/methods.ts'
import { callFlags, callFlagsHelp } from '../call/open-client.ts'
import { paramFlags } from '../call/param-flags.ts'
import { readParams } from '../call/read-params.ts'
import { runMethod } from '../call/run-method.ts'
import { runSubscribe, subscribeFlags, subscribeHelp } from '../call/subscribe.ts'
import { type Command, UsageError } from '../command.ts'

const methods: readonly Method[] = methodsUnder('eth').filter(({ name }) => name !== 'eth_unsubscribe')

const options = {
  ...callFlags,
  ...paramFlags,
  ...subscribeFlags,
  unchecked: { type: 'boolean', default: false },
} as const

const help = `Usage: wayleave eth METHOD [ARG...] [options]

${listOf(methods)}

A METHOD may also be written as getBalance, eth_getBalance or balance. Each ARG is JSON where it parses as JSON, else text;
numbers may be decimal. A terminal shows tables and notes; a pipe gets plain lines, a tab after each member's path.

${callFlagsHelp}
${uncheckedHelp}

wayleave eth METHOD --help tells its ARGs and an example. A secret goes before the host: https://:SECRET@HOST/v3/KEY
Exit code 0: a result, null too; 1: an error or no answer, on stderr; 2: used wrongly.
`

/** `wayleave eth`: calls the `eth_*` methods of the table by name. */
export const eth: Command = {
  help: (args) => {
    const name = namedIn(args, options)
    if (name === undefined) return help
    const method = findMethod(name, methods)
    return method.name === 'eth_subscribe' ? subscribeHelp : helpOf('eth', method)
  },
  async run(args, io) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options,
    })
    const [name, ...texts] = positionals
    if (name === undefined)
      throw new UsageError('expected a METHOD, such as get-balance; wayleave eth --help lists them')
    const method = findMethod(name, methods)
    if (method.name === 'eth_subscribe') return runSubscribe(texts, values, io)
    if (values.count !== undefined) throw new UsageError('--count: belongs to wayleave eth subscribe')
    return runMethod(method, readParams(method, texts, values, values.unchecked), values, io)
  },
}
