import type { StarknetVersion } from '@wayleave/starknet-types'
import { listOf, uncheckedHelp } from './method-help.ts'
import { kebabOf } from './methods.ts'
import { callFlagsHelp } from './open-client.ts'
import { upper } from './read-params.ts'
import { type StarknetMethod, starknetMethodsOf } from './starknet-methods.ts'
import { flagOf, usageOf } from './starknet-params.ts'

const flagsHelp = `${callFlagsHelp}
  --spec-version V    the version of the Starknet RPC: 0.5.1, 0.6, 0.7, 0.8, 0.9 or 0.10; default 0.5.1 of a
                      gateway, and of any other URL the one that the node speaks
${uncheckedHelp}`

/** Prints `wayleave starknet --help` with the methods of a version. */
export function starknetHelp(version: StarknetVersion): string {
  return `Usage: wayleave starknet METHOD [ARG...] [options]
       wayleave starknet hash FILE|- --chain-id SN_MAIN    the hash of a transaction in JSON
       wayleave starknet selector NAME                     the selector of an entry point or an event

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
}

/** Prints the `--help` of one method of a version. */
export function starknetMethodHelp(method: StarknetMethod, version: StarknetVersion): string {
  const { name, summary, source, paramNames } = method
  const usage = ['wayleave starknet', kebabOf(name), usageOf(method), '[options]'].filter((part) => part !== '')
  const params = paramNames.map(
    (param) => `  ${upper(param).padEnd(26)}  --${flagOf(param)}: ${wordsOf(param, name)}\n`,
  )
  return `Usage: ${usage.join(' ')}

${summary}
Calls ${name} of version ${version}. Source: ${source}.
${params.length === 0 ? '' : `\n${params.join('')}`}
${flagsHelp}
`
}

function wordsOf(param: string, method: string): string {
  const isCall = param === 'request' && method === 'starknet_call'
  if (isCall) return 'JSON: {"contract_address","entry_point_selector","calldata":[…]}'
  const plain = param.replace('?', '')
  const what = words[plain === 'request' ? 'transactions' : plain] ?? 'JSON'
  return param.endsWith('?') ? `${what} (may be left out)` : what
}
