import { poseidonHashMany } from '@scure/starknet'
import type { Felt } from '../felt.ts'
import { felt, felts } from './numbers.ts'
import { pedersenTransactionHash } from './pedersen.ts'
import type { HashableInvokeV0, HashableInvokeV1, HashableInvokeV3 } from './transactions.ts'
import { poseidonFelts, v3Hash } from './v3.ts'
import { versionNumber } from './version.ts'

/** The hash of an INVOKE transaction of version 0 on a chain, a felt. @throws SchemaError for what is no such transaction */
export function invokeV0Hash(tx: HashableInvokeV0, chainId: string): Felt {
  return pedersenTransactionHash(
    {
      prefix: 'invoke',
      version: versionNumber(tx.version, 0n),
      address: felt(tx.contract_address, 'contract_address'),
      selector: felt(tx.entry_point_selector, 'entry_point_selector'),
      calldata: felts(tx.calldata, 'calldata'),
      maxFee: felt(tx.max_fee, 'max_fee'),
      additional: [],
    },
    chainId,
  )
}

/** The hash of an INVOKE transaction of version 1 on a chain, a felt. @throws SchemaError for what is no such transaction */
export function invokeV1Hash(tx: HashableInvokeV1, chainId: string): Felt {
  return pedersenTransactionHash(
    {
      prefix: 'invoke',
      version: versionNumber(tx.version, 1n),
      address: felt(tx.sender_address, 'sender_address'),
      selector: 0n,
      calldata: felts(tx.calldata, 'calldata'),
      maxFee: felt(tx.max_fee, 'max_fee'),
      additional: [felt(tx.nonce, 'nonce')],
    },
    chainId,
  )
}

/** The hash of an INVOKE transaction of version 3 on a chain, a felt (SNIP-8, SNIP-36). @throws SchemaError for what is no such transaction */
export function invokeV3Hash(tx: HashableInvokeV3, chainId: string): Felt {
  const rest = [
    poseidonFelts(tx.account_deployment_data, 'account_deployment_data'),
    poseidonFelts(tx.calldata, 'calldata'),
  ]
  const facts = felts(tx.proof_facts ?? [], 'proof_facts')
  if (facts.length > 0) rest.push(poseidonHashMany(facts))
  return v3Hash('invoke', felt(tx.sender_address, 'sender_address'), tx, chainId, rest)
}
