import type { SubscriptionParams } from '@wayleave/client'
import { type StarknetMethodSpec, starknetMethods, type StarknetVersion } from '@wayleave/starknet-types'
import { methodNamed } from '../call/methods.ts'
import { filterOf, readBlock } from '../call/param-flags.ts'
import { readVersion } from '../call/starknet-methods.ts'
import { UsageError } from '../command.ts'
import type { ValuesOf } from '../read-args.ts'
import { suggest } from '../suggest.ts'

/** The flags that choose what is watched, for `parseArgs`. */
export const watchFlags = {
  address: { type: 'string', multiple: true },
  topic: { type: 'string', multiple: true },
  'from-block': { type: 'string' },
  full: { type: 'boolean' },
  'spec-version': { type: 'string' },
} as const

type WatchFlags = ValuesOf<typeof watchFlags>

/** A subscription to open. */
export interface Watched {
  /** The name of its columns. */
  readonly lines: string
  readonly method: string
  readonly params: unknown
  /** The version of a Starknet node; undefined for EVM networks. */
  readonly version: StarknetVersion | undefined
}

const kinds = ['heads', 'logs', 'receipts', 'pending', 'status']
const takers: Readonly<Record<keyof WatchFlags, readonly string[]>> = {
  address: ['logs'],
  topic: ['logs'],
  'from-block': ['heads', 'logs'],
  full: ['pending'],
  'spec-version': kinds,
}

/** Reads what to watch. @throws UsageError */
export function readWatched([kind, ...rest]: readonly string[], flags: WatchFlags): Watched {
  if (kind === undefined) throw new UsageError(`expected a KIND: ${kinds.join(', ')}`)
  if (!kinds.includes(kind)) {
    throw new UsageError(`there is no KIND "${kind}"${suggest(kind, kinds)}; there are ${kinds.join(', ')}`)
  }
  for (const [flag, takes] of Object.entries(takers)) {
    if (flags[flag as keyof WatchFlags] !== undefined && !takes.includes(kind)) {
      throw new UsageError(`--${flag}: belongs to ${takes.join(' and ')}, not to ${kind}`)
    }
  }
  const version = flags['spec-version'] === undefined ? undefined : readVersion(flags['spec-version'])
  const most = kind === 'status' ? 1 : 0
  if (rest.length > most) throw new UsageError(`unexpected argument "${rest[most]}"`)
  if (version !== undefined) return readStarknet(kind, rest[0], flags, version)
  if (kind === 'status')
    throw new UsageError('status: belongs to Starknet; --spec-version 0.8 or later says that the node is one')
  const params = readEvm(kind, flags)
  return { lines: kind, method: 'eth_subscribe', params, version }
}

function readEvm(kind: string, flags: WatchFlags): SubscriptionParams {
  const start = flags['from-block'] === undefined ? {} : { fromBlock: blockOf(flags['from-block']) }
  if (kind === 'heads') return flags['from-block'] === undefined ? ['newHeads'] : ['newHeads', start as never]
  if (kind === 'receipts') return ['transactionReceipts']
  if (kind === 'pending') return flags.full === true ? ['newPendingTransactions', true] : ['newPendingTransactions']
  const { address, topic } = flags
  const filter = filterOf({ address, topic })
  checked(methodNamed('eth_subscribe')!.params.check(['logs', filter], ''))
  return ['logs', { ...filter, ...start } as never]
}

/** The kinds as Starknet has them; a kind may have another name in an older version. */
const starknetNames: Readonly<Record<string, readonly string[]>> = {
  heads: ['starknet_subscribeNewHeads'],
  logs: ['starknet_subscribeEvents'],
  receipts: ['starknet_subscribeNewTransactionReceipts'],
  pending: ['starknet_subscribeNewTransactions', 'starknet_subscribePendingTransactions'],
  status: ['starknet_subscribeTransactionStatus'],
}

function readStarknet(kind: string, hash: string | undefined, flags: WatchFlags, version: StarknetVersion): Watched {
  const table = starknetMethods[version] as unknown as Readonly<Record<string, StarknetMethodSpec<unknown, unknown>>>
  const method = starknetNames[kind]!.find((name) => Object.hasOwn(table, name))
  if (method === undefined) {
    throw new UsageError(
      `version ${version} has no subscription to ${kind}: --spec-version ${kind === 'receipts' ? '0.9' : '0.8'} has`,
    )
  }
  if (kind === 'status' && hash === undefined) throw new UsageError('status: expected the HASH of a transaction')
  const { address, topic } = flags
  if (address !== undefined && address.length > 1 && version !== '0.10')
    throw new UsageError(`--address: version ${version} takes one; 0.10 takes several`)
  const params = {
    ...(flags['from-block'] === undefined ? {} : { block_id: { block_number: Number(blockOf(flags['from-block'])) } }),
    ...(address === undefined ? {} : { from_address: address.length === 1 ? address[0] : address }),
    ...(topic === undefined ? {} : { keys: topic.map((each) => (each === '' || each === 'any' ? [] : [each])) }),
    ...(flags.full === true && method.endsWith('PendingTransactions') ? { transaction_details: true } : {}),
    ...(hash === undefined ? {} : { transaction_hash: hash }),
  }
  checked(table[method]!.params.check(params, ''))
  return { lines: `starknet ${kind}`, method, params, version }
}

interface Issue {
  readonly path: string
  readonly expected: string
  readonly received: string
}

function checked(issue: Issue | undefined): void {
  if (issue === undefined) return
  const flag = /address/.test(issue.path) ? '--address' : /topic|keys/.test(issue.path) ? '--topic' : 'params'
  const name = issue.path.endsWith('transaction_hash') ? 'HASH' : flag
  throw new UsageError(`${name}: expected ${issue.expected}, got ${issue.received}`)
}

function blockOf(text: string): string {
  const block = readBlock(text)
  if (/^0x(?:0|[1-9a-f][\da-f]{0,12})$/i.test(block)) return block
  throw new UsageError(`--from-block: expected the number of a block, decimal or hex, got "${text}"`)
}
