import type { Felt } from '../felt.ts'
import { contractAddress } from './contract-address.ts'
import { felt, felts } from './numbers.ts'
import { pedersenTransactionHash } from './pedersen.ts'
import type { HashableDeploy, HashableDeployAccountV1, HashableDeployAccountV3 } from './transactions.ts'
import { poseidonFelts, v3Hash } from './v3.ts'
import { versionNumber } from './version.ts'

function addressOf(tx: HashableDeploy): bigint {
  const { class_hash: classHash, contract_address_salt: salt, constructor_calldata: constructorCalldata } = tx
  return BigInt(contractAddress({ classHash, salt, constructorCalldata }))
}

/** The hash of a DEPLOY transaction on a chain, a felt. @throws SchemaError for what is no such transaction */
export function deployHash(tx: HashableDeploy, chainId: string): Felt {
  return pedersenTransactionHash(
    {
      prefix: 'deploy',
      version: versionNumber(tx.version, 0n),
      address: addressOf(tx),
      // starknet_keccak('constructor')
      selector: 0x28ffe4ff0f226a9107253e17a904099aa4f63a02a5621de0576e5aa71bc5194n,
      calldata: felts(tx.constructor_calldata, 'constructor_calldata'),
      maxFee: 0n,
      additional: [],
    },
    chainId,
  )
}

/** The hash of a DEPLOY_ACCOUNT transaction of version 1 on a chain, a felt. @throws SchemaError for what is no such transaction */
export function deployAccountV1Hash(tx: HashableDeployAccountV1, chainId: string): Felt {
  return pedersenTransactionHash(
    {
      prefix: 'deploy_account',
      version: versionNumber(tx.version, 1n),
      address: addressOf(tx),
      selector: 0n,
      calldata: felts([tx.class_hash, tx.contract_address_salt, ...tx.constructor_calldata], 'constructor_calldata'),
      maxFee: felt(tx.max_fee, 'max_fee'),
      additional: [felt(tx.nonce, 'nonce')],
    },
    chainId,
  )
}

/** The hash of a DEPLOY_ACCOUNT transaction of version 3 on a chain, a felt (SNIP-8). @throws SchemaError for what is no such transaction */
export function deployAccountV3Hash(tx: HashableDeployAccountV3, chainId: string): Felt {
  return v3Hash('deploy_account', addressOf(tx), tx, chainId, [
    poseidonFelts(tx.constructor_calldata, 'constructor_calldata'),
    felt(tx.class_hash, 'class_hash'),
    felt(tx.contract_address_salt, 'contract_address_salt'),
  ])
}
