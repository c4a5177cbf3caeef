import { parseArgs, type ParseArgsConfig } from 'node:util'
import { kebabOf, type Method } from './methods.ts'
import { callFlagsHelp } from './open-client.ts'
import { takesCall, takesFilter } from './param-flags.ts'
import { paramWords } from './param-words.ts'
import { upper, usageOf } from './read-params.ts'

/** Methods with their summaries, a line each. */
export function listOf(methods: readonly Method[]): string {
  const names = methods.map(({ name }) => kebabOf(name))
  const width = Math.max(...names.map((name) => name.length))
  return methods.map(({ summary }, i) => `  ${names[i]!.padEnd(width)}  ${summary}`).join('\n')
}

/** What `--help` tells of one method, from the method table. */
export function helpOf(command: string, method: Method): string {
  const { name, summary, source, blockParam } = method
  const usage = [`wayleave ${command} ${kebabOf(name)}`, usageOf(method), '[options]'].filter((part) => part !== '')
  const flags = [
    ...(takesCall(method) ? [callHelp] : []),
    ...(takesFilter(method) ? [filterHelp] : []),
    ...(blockParam === undefined
      ? []
      : [`  --block B           ${nameOf(method, blockParam)} by name instead of position`]),
    callFlagsHelp,
    uncheckedHelp,
  ]
  const params = (method.paramNames ?? []).map((param) => paramHelp(param)).join('')
  return `Usage: ${usage.join(' ')}

${summary}
Calls ${name}. Source: ${source}.
${params === '' ? '' : `\n${params}`}
${flags.join('\n')}

Example:
  wayleave ${command} ${[kebabOf(name), ...examples(method)].join(' ')}
`
}

/** The method that `--help` stands beside, among flags with values of their own; undefined where none is named. */
export function namedIn(args: readonly string[], options: ParseArgsConfig['options']): string | undefined {
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true }).positionals[0]
}

export const uncheckedHelp = '  --unchecked         send the params as they are, right or wrong'

const callHelp = `  --to, --from, --data            the members of the call
  --value, --gas-price, --max-fee-per-gas, --max-priority-fee-per-gas
                                  wei, or with a unit: 1.5ether, 30gwei
  --gas, --nonce                  numbers, decimal or hex`

const filterHelp = `  --address A         may be repeated
  --topic T           the first is the event's; "any" leaves its place open
  --from-block B, --to-block B`

function paramHelp(param: string): string {
  const [what = ''] = paramWords[param.replace('?', '')] ?? []
  return `  ${upper(param).padEnd(18)}  ${what}${param.endsWith('?') ? ' (may be left out)' : ''}\n`
}

/** Example values of the params that a call needs, and of an optional block, to show it. */
function examples({ paramNames = [] }: Method): readonly string[] {
  return paramNames
    .filter((param) => !param.endsWith('?') || param === 'block?')
    .map((param) => paramWords[param.replace('?', '')]?.[1] ?? upper(param))
}

function nameOf({ paramNames = [] }: Method, place: number): string {
  return upper(paramNames[place] ?? 'block')
}
