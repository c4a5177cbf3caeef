import { readFileSync } from 'node:fs'
import type { HashableTransaction, HashableBound } from '../../src/hash/index.ts'

type FeederTransaction = Record<string, unknown> & { readonly type: string; readonly version: string }

interface Case {
  readonly chainId: string
  readonly type: string
  readonly version: string
  readonly hash: string
  readonly tx: FeederTransaction
  readonly source: string
}

const cases = ['../vectors/transaction-hashes.json', 'vectors/three-bounds-hashes.json'].flatMap((file) => {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  return (JSON.parse(text) as { readonly cases: readonly Case[] }).cases
})

/** Real transactions: their spelling by the RPC, their feeder gateway's own, their hash and chain. */
export const vectors = cases.map((each) => ({
  title: `${each.type} ${each.version} ${each.hash.slice(0, 10)}`,
  chain: each.chainId,
  hash: each.hash,
  feeder: each.tx,
  tx: rpcSpelling(each.tx),
}))

/** From the feeder gateway's spelling to that of `starknet_getTransactionByHash`. */
function rpcSpelling(feeder: FeederTransaction): HashableTransaction {
  const tx: Record<string, unknown> = { ...feeder, type: feeder.type === 'INVOKE_FUNCTION' ? 'INVOKE' : feeder.type }
  if (tx['type'] === 'INVOKE' && tx['version'] !== '0x0') tx['sender_address'] ??= tx['contract_address']
  if (tx['version'] === '0x3') {
    tx['nonce_data_availability_mode'] = tx['nonce_data_availability_mode'] === 0 ? 'L1' : 'L2'
    tx['fee_data_availability_mode'] = tx['fee_data_availability_mode'] === 0 ? 'L1' : 'L2'
    const { L1_GAS, L2_GAS, L1_DATA_GAS } = tx['resource_bounds'] as Record<string, HashableBound>
    tx['resource_bounds'] = { l1_gas: L1_GAS, l2_gas: L2_GAS, ...(L1_DATA_GAS && { l1_data_gas: L1_DATA_GAS }) }
  }
  return tx as unknown as HashableTransaction
}
