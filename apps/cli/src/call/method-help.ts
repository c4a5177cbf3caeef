import { parseArgs, type ParseArgsConfig } from 'node:util'
import { kebabOf, type Method } from './methods.ts'
import { callFlagsHelp } from './call-flags.ts'
import { takesCall, takesFilter } from './param-flags.ts'
import { upper, usageOf } from './read-params.ts'
import type { ShortName } from './short-names.ts'

/** Lists methods with their summaries, one per line; `width`: of the column of names, by default that of the longest. */
export function listOf(methods: readonly Method[], width?: number): string {
  const names = methods.map(({ name }) => kebabOf(name))
  const column = width ?? Math.max(...names.map((name) => name.length))
  return methods.map(({ summary }, i) => `  ${names[i]!.padEnd(column)}  ${summary}`).join('\n')
}

/** Prints the `--help` of one method, from the method table. */
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

/** Prints the `--help` of a short name: `wayleave eth block`. */
export function shortHelp(name: string, { usage, summary, example, methodOf }: ShortName): string {
  const method = methodOf([])
  const full = name === 'block' ? ['  --full              whole transactions instead of their hashes'] : []
  const takesBlock = usage.includes('[BLOCK]')
  const block = takesBlock ? ['  --block B           BLOCK by name instead of position'] : []
  return `Usage: wayleave eth ${name} ${usage} [options]

${upperFirst(summary)}.
Calls ${method}${name === 'block' ? ', with a hash eth_getBlockByHash' : ''}.${takesBlock ? blockHelp : ''}

${[...full, ...block, callFlagsHelp, uncheckedHelp].join('\n')}

A terminal gets notes for people; a pipe the result as it came, an object as a line per member.

Example:
  wayleave eth ${name} ${example}
`
}

const blockHelp = ' A BLOCK is latest, safe, finalized, pending, earliest, a number or a hash; default latest.'

function upperFirst(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`
}

/** Finds the method name among the arguments beside `--help`; undefined if there is none. */
export function namedIn(args: readonly string[], options: ParseArgsConfig['options']): string | undefined {
  return wordsIn(args, options)[0]
}

/** Finds what is no flag among the arguments beside `--help`. */
export function wordsIn(args: readonly string[], options: ParseArgsConfig['options']): readonly string[] {
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true }).positionals
}

export const uncheckedHelp = '  --unchecked         send the params as they are, right or wrong'

const callHelp = `  --to A, --from A, --data HEX    the members of the call
  --value W, --gas-price W, --max-fee-per-gas W, --max-priority-fee-per-gas W
                                  wei, or with a unit: 1.5ether, 30gwei
  --gas N, --nonce N              numbers, decimal or hex`

const filterHelp = `  --address A         may be repeated
  --topic T           the first is the event's; "any" leaves its place open
  --from-block B, --to-block B`

function paramHelp(param: string): string {
  const [what = ''] = paramWords[param.replace('?', '')] ?? []
  return `  ${upper(param).padEnd(18)}  ${what}${param.endsWith('?') ? ' (may be left out)' : ''}\n`
}

/** Example values for the required params, and for an optional block. */
function examples({ paramNames = [] }: Method): readonly string[] {
  return paramNames
    .filter((param) => !param.endsWith('?') || param === 'block?')
    .map((param) => paramWords[param.replace('?', '')]?.[1] ?? upper(param))
}

function nameOf({ paramNames = [] }: Method, place: number): string {
  return upper(paramNames[place] ?? 'block')
}

/** A description and an example of each param, by its name in the method table. */
const paramWords: Readonly<Record<string, readonly [what: string, example: string]>> = {
  address: ['an address, 0x and 40 hex digits', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'],
  sender: ['an address, 0x and 40 hex digits', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'],
  position: ['a storage position: 3, 0x3; wayleave storage-slot finds those of mappings', '0'],
  positions: ['storage positions, as a JSON array of hex', `'["0x0"]'`],
  block: ['a number (decimal or hex), a hash, or latest, safe, finalized, pending, earliest', 'latest'],
  newestBlock: ['the last block of the range: a number, or latest', 'latest'],
  blockCount: ['how many blocks', '4'],
  rewardPercentiles: ['percentiles from 0 to 100, as a JSON array', `'[25,75]'`],
  blockHash: ['0x and 64 hex digits', `0x${'12'.repeat(32)}`],
  transactionHash: ['0x and 64 hex digits', `0x${'12'.repeat(32)}`],
  hash: ['0x and 64 hex digits', `0x${'12'.repeat(32)}`],
  index: ['from 0', '0'],
  nonce: ['from 0', '0'],
  fullTransactions: ['true for whole transactions; default false, their hashes', 'false'],
  call: ['a call object as JSON, or the flags below', '--to 0x5FbDB2315678afecb367f032d93F642f64180aa3 --value 1ether'],
  filter: [
    'a log filter as JSON, or the flags below',
    '--address 0x5FbDB2315678afecb367f032d93F642f64180aa3 --from-block 1',
  ],
  transaction: ['a signed transaction, as hex', '0x02f8…'],
  data: ['bytes in hex', '0x1234'],
  id: ['of a filter, as the node gave it', '0x1'],
  kind: ['newHeads, logs or newPendingTransactions', 'newHeads'],
  stateOverrides: ['a JSON object', ''],
  blockOverrides: ['a JSON object', ''],
  options: ['a JSON object', ''],
  simulation: ['a JSON object', `'{"blockStateCalls":[]}'`],
}
