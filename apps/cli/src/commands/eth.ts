import { callFlags, callFlagsHelp } from '../call/call-flags.ts'
import { listInGroups } from '../call/method-groups.ts'
import { helpOf, namedIn, shortHelp, uncheckedHelp } from '../call/method-help.ts'
import { findMethod, type Method, methodsUnder } from '../call/methods.ts'
import { paramFlags } from '../call/param-flags.ts'
import { readParams } from '../call/read-params.ts'
import { readShort } from '../call/read-short.ts'
import { listShortNames, shortNamed, shortNames } from '../call/short-names.ts'
import { subscribeFlags, subscribeHelp } from '../call/subscribe-help.ts'
import { type Command, UsageError } from '../command.ts'
import { readArgs, switchFlags } from '../read-args.ts'

const methods: readonly Method[] = methodsUnder('eth').filter(({ name }) => name !== 'eth_unsubscribe')

const options = {
  ...callFlags,
  ...paramFlags,
  ...subscribeFlags,
  ...switchFlags('full', 'unchecked'),
} as const

const help = `Usage: wayleave eth METHOD [ARG...] [options]

Short names, which are commands, too (wayleave block):
${listShortNames()}

${listInGroups(methods)}

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
    const short = shortNamed(name)
    if (short !== undefined) return shortHelp(name, short)
    const method = find(name)
    return method.name === 'eth_subscribe' ? subscribeHelp : helpOf('eth', method)
  },
  async run(args, io) {
    const { values, positionals } = readArgs(args, options)
    const [name, ...texts] = positionals
    if (name === undefined)
      throw new UsageError('expected a METHOD, such as get-balance; wayleave eth --help lists them')
    if (values.full && name !== 'block') throw new UsageError('--full: belongs to wayleave eth block')
    const short = shortNamed(name)
    const method = short === undefined ? find(name) : undefined
    if (method?.name === 'eth_subscribe') return (await import('../call/subscribe.ts')).runSubscribe(texts, values, io)
    if (values.count !== undefined) throw new UsageError('--count: belongs to wayleave eth subscribe')
    const call =
      short === undefined
        ? { method: method!, params: readParams(method!, texts, values, values.unchecked) }
        : await readShort(name, short, texts, values, io)
    // The code of calls loads when there is one.
    const { runMethod } = await import('../call/run-method.ts')
    return runMethod(call.method, call.params, { ...values, brief: name === 'block' }, io)
  },
}

function find(name: string): Method {
  return findMethod(name, methods, Object.keys(shortNames))
}
