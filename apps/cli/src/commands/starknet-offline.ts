import { encodeShortString } from '@wayleave/starknet-types'
import { type HashableTransaction, selector, transactionHash } from '@wayleave/starknet-types/hash'
import { readJson } from '../call/starknet-params.ts'
import { type CommandIo, UsageError } from '../command.ts'

interface Flags {
  readonly json: boolean
  readonly 'chain-id'?: unknown
}

/** Whether a word after `wayleave starknet` asks no node. */
export function isOffline(name: string): name is 'hash' | 'selector' {
  return name === 'hash' || name === 'selector'
}

/** `wayleave starknet hash FILE|-` and `wayleave starknet selector NAME`. */
export async function runOffline(
  name: 'hash' | 'selector',
  texts: readonly string[],
  flags: Flags,
  io: CommandIo,
): Promise<number> {
  const [text] = texts
  const what = name === 'hash' ? 'FILE or - for stdin' : 'NAME, such as transfer'
  if (!text || texts.length > 1) throw new UsageError(`${name}: expected one ${what}`)
  const felt = name === 'selector' ? selector(text) : await hashOf(text, flags, io)
  io.stdout(`${flags.json ? JSON.stringify(felt) : felt}\n`)
  return 0
}

async function hashOf(path: string, { 'chain-id': chain }: Flags, io: CommandIo): Promise<string> {
  if (typeof chain !== 'string') throw new UsageError('hash: expected --chain-id, such as SN_MAIN or SN_SEPOLIA')
  const chainId = /^0x/i.test(chain) ? chain : encodeShortString(chain)
  const tx = await readJson(path.replace(/^@/, ''), io, 'hash')
  if (typeof tx !== 'object' || tx === null) throw new UsageError('hash: expected a transaction, a JSON object')
  return transactionHash(tx as HashableTransaction, chainId)
}
