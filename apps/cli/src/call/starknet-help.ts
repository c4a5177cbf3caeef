import { type StarknetVersion, starknetVersions } from '@wayleave/starknet-types'
import { listOf, uncheckedHelp } from './method-help.ts'
import { kebabOf } from './methods.ts'
import { callFlagsHelp } from './call-flags.ts'
import { upper } from './read-params.ts'
import { kindOf, type StarknetMethod, starknetMethodsOf, starknetSubscriptionsOf } from './starknet-methods.ts'
import { flagOf, usageOf } from './starknet-params.ts'

const flagsHelp = `${callFlagsHelp}
  --spec-version V    the version of the Starknet RPC: 0.5.1, 0.6, 0.7, 0.8, 0.9 or 0.10; default 0.5.1 of a
                      gateway, and of any other URL the one that the node speaks
${uncheckedHelp}`

const subscribeFlagsHelp = `  --count N           ends after N events
${callFlagsHelp}
  --spec-version V    the version of the Starknet RPC: 0.8, 0.9 or 0.10; default that of the nodes of a gateway,
                      and of any other URL the newest that has the KIND
${uncheckedHelp}`

/** Prints `wayleave starknet --help` with the methods of a version. */
export function starknetHelp(version: StarknetVersion): string {
  return `Usage: wayleave starknet METHOD [ARG...] [options]
       wayleave starknet hash FILE|- --chain-id SN_MAIN    the hash of a transaction in JSON
       wayleave starknet selector NAME                     the selector of an entry point or an event
       wayleave starknet subscribe KIND [ARG...]           events as they come

Methods of version ${version}:

${listOf(starknetMethodsOf(version))}

A METHOD may also be written as getNonce, starknet_getNonce or nonce. ARGs go by position, in the order of the version, or by
name: --block-id latest. Each is JSON where it parses as JSON, else text; @FILE reads JSON from a file, - from stdin. A block
is latest, a number or a hash, and may be left out. A terminal shows tables; a pipe gets plain lines.

${flagsHelp}

wayleave starknet METHOD --help tells its ARGs; with --spec-version, those of another version.
Without a URL it asks the starknet-dev network of the local wayleave dev.
Exit code 0: a result; 1: an error or no answer, on stderr; 2: used wrongly.
`
}

const words: Readonly<Record<string, string>> = {
  block_id: 'a tag such as latest, a number, or a hash; default latest',
  contract_address: 'a felt: 0x and up to 64 hex digits',
  key: 'where in the storage: a felt',
  class_hash: 'a felt',
  transaction_hash: 'a felt',
  index: 'from 0',
  filter: `JSON: {"from_block":…,"to_block":…,"address":…,"keys":[[…]],"chunk_size":100}`,
  message: 'JSON: {"from_address","to_address","entry_point_selector","payload"}',
  transactions: 'JSON: a transaction, or a list of them; @FILE reads it',
  simulation_flags: 'such as SKIP_VALIDATE; several with commas; default none',
  response_flags: 'INCLUDE_LAST_UPDATE_BLOCK',
  trace_flags: 'RETURN_INITIAL_READS',
  class_hashes: 'felts with commas',
  contract_addresses: 'felts with commas',
  contracts_storage_keys: 'JSON: [{"contract_address","storage_keys":[…]}]',
  invoke_transaction: 'JSON; @FILE reads it',
  declare_transaction: 'JSON; @FILE reads it',
  deploy_account_transaction: 'JSON; @FILE reads it',
  from_address: 'the contract whose events are told: a felt',
  keys: 'JSON: [[…],…], for each place the keys that fit; [] leaves a place open',
  finality_status: 'PRE_CONFIRMED or ACCEPTED_ON_L2; of transactions also RECEIVED or CANDIDATE',
  sender_address: 'felts with commas',
  transaction_details: 'true for whole transactions',
  tags: 'INCLUDE_PROOF_FACTS',
}

/** Prints `wayleave starknet subscribe --help` with the kinds of the newest version, and those of older ones that it lacks. */
export function starknetSubscribeHelp(): string {
  const all = new Map(
    starknetVersions.flatMap((version) =>
      starknetSubscriptionsOf(version).map(({ name, summary }) => [kindOf(name), summary] as const),
    ),
  )
  const rows = [...all].map(([kind, summary]) => `  ${kind.padEnd(24)}  ${summary}`)
  return `Usage: wayleave starknet subscribe KIND [ARG...] [options]

Opens a subscription and prints each event in a line, {"method","result"}, until Ctrl-C; a reorg is an event, too.

${rows.join('\n')}

${subscribeFlagsHelp}

It needs a WebSocket: a ws(s) URL, or the URL of a gateway, which ends in /v3/KEY. wayleave starknet subscribe KIND --help tells its ARGs.
wayleave watch prints columns.

Example:
  wayleave starknet subscribe newHeads --count 3
`
}

/** Prints the `--help` of one method of a version. */
export function starknetMethodHelp(method: StarknetMethod, version: StarknetVersion): string {
  const { name, summary, source, paramNames, subscription } = method
  const called = subscription === undefined ? kebabOf(name) : `subscribe ${kindOf(name)}`
  const usage = ['wayleave starknet', called, usageOf(method), '[options]'].filter((part) => part !== '')
  const params = paramNames.map(
    (param) => `  ${upper(param).padEnd(26)}  --${flagOf(param)}: ${wordsOf(param, name)}\n`,
  )
  return `Usage: ${usage.join(' ')}

${summary}
Calls ${name} of version ${version}. Source: ${source}.
${params.length === 0 ? '' : `\n${params.join('')}`}
${subscription === undefined ? flagsHelp : subscribeFlagsHelp}
`
}

function wordsOf(param: string, method: string): string {
  const isCall = param === 'request' && method === 'starknet_call'
  if (isCall) return 'JSON: {"contract_address","entry_point_selector","calldata":[…]}'
  const plain = param.replace('?', '')
  const what = words[plain === 'request' ? 'transactions' : plain] ?? 'JSON'
  return param.endsWith('?') ? `${what} (may be left out)` : what
}
