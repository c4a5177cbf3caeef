import type { Felt } from '../felt.ts'
import { felt } from './numbers.ts'
import { pedersenTransactionHash } from './pedersen.ts'
import type { HashableDeclareV0, HashableDeclareV1, HashableDeclareV2, HashableDeclareV3 } from './transactions.ts'
import { poseidonFelts, v3Hash } from './v3.ts'
import { versionNumber } from './version.ts'

function declareHash(
  tx: HashableDeclareV0,
  chainId: string,
  version: bigint,
  calldata: bigint[],
  additional: bigint[],
): Felt {
  return pedersenTransactionHash(
    {
      prefix: 'declare',
      version: versionNumber(tx.version, version),
      address: felt(tx.sender_address, 'sender_address'),
      selector: 0n,
      calldata,
      maxFee: felt(tx.max_fee, 'max_fee'),
      additional,
    },
    chainId,
  )
}

/** The hash of a DECLARE transaction of version 0 on a chain, a felt. @throws SchemaError for what is no such transaction */
export function declareV0Hash(tx: HashableDeclareV0, chainId: string): Felt {
  return declareHash(tx, chainId, 0n, [], [felt(tx.class_hash, 'class_hash')])
}

/** The hash of a DECLARE transaction of version 1 on a chain, a felt. @throws SchemaError for what is no such transaction */
export function declareV1Hash(tx: HashableDeclareV1, chainId: string): Felt {
  return declareHash(tx, chainId, 1n, [felt(tx.class_hash, 'class_hash')], [felt(tx.nonce, 'nonce')])
}

/** The hash of a DECLARE transaction of version 2 on a chain, a felt. @throws SchemaError for what is no such transaction */
export function declareV2Hash(tx: HashableDeclareV2, chainId: string): Felt {
  const compiled = felt(tx.compiled_class_hash, 'compiled_class_hash')
  return declareHash(tx, chainId, 2n, [felt(tx.class_hash, 'class_hash')], [felt(tx.nonce, 'nonce'), compiled])
}

/** The hash of a DECLARE transaction of version 3 on a chain, a felt (SNIP-8). @throws SchemaError for what is no such transaction */
export function declareV3Hash(tx: HashableDeclareV3, chainId: string): Felt {
  return v3Hash('declare', felt(tx.sender_address, 'sender_address'), tx, chainId, [
    poseidonFelts(tx.account_deployment_data, 'account_deployment_data'),
    felt(tx.class_hash, 'class_hash'),
    felt(tx.compiled_class_hash, 'compiled_class_hash'),
  ])
}
