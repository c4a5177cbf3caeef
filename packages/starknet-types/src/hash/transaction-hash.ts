import { type Felt, printFelt } from '../felt.ts'
import { declareV0Hash, declareV1Hash, declareV2Hash, declareV3Hash } from './declare.ts'
import { deployAccountV1Hash, deployAccountV3Hash, deployHash } from './deploy.ts'
import { invokeV0Hash, invokeV1Hash, invokeV3Hash } from './invoke.ts'
import { l1HandlerHash } from './l1-handler.ts'
import { felt, refuse } from './numbers.ts'
import { sierraClassHash } from './sierra-class-hash.ts'
import type * as Tx from './transactions.ts'
import { plainVersion } from './version.ts'

/**
 * The hash of a transaction of any type and version on a chain (`starknet_chainId`), a felt. The function of one type alone costs
 * a bundle less. A DECLARE of version 2 or 3 may hold its `contract_class` in place of the `class_hash`. @throws SchemaError for
 * what is no such transaction
 */
export function transactionHash(tx: Tx.HashableTransaction, chainId: string): Felt {
  const { type, version } = tx ?? refuse('transaction', 'an object', tx)
  if (typeof type !== 'string') refuse('type', 'a type that Starknet has', type)
  const which = `${type} ${plainVersion(version)}`
  switch (which) {
    case 'INVOKE 0':
      return invokeV0Hash(tx as Tx.HashableInvokeV0, chainId)
    case 'INVOKE 1':
      return invokeV1Hash(tx as Tx.HashableInvokeV1, chainId)
    case 'INVOKE 3':
      return invokeV3Hash(tx as Tx.HashableInvokeV3, chainId)
    case 'DECLARE 0':
      return declareV0Hash(tx as Tx.HashableDeclareV0, chainId)
    case 'DECLARE 1':
      return declareV1Hash(tx as Tx.HashableDeclareV1, chainId)
    case 'DECLARE 2':
      return declareV2Hash(classHashed(tx as Tx.HashableDeclareV2), chainId)
    case 'DECLARE 3':
      return declareV3Hash(classHashed(tx as Tx.HashableDeclareV3), chainId)
    case 'DEPLOY 0':
      return deployHash(tx as Tx.HashableDeploy, chainId)
    case 'DEPLOY_ACCOUNT 1':
      return deployAccountV1Hash(tx as Tx.HashableDeployAccountV1, chainId)
    case 'DEPLOY_ACCOUNT 3':
      return deployAccountV3Hash(tx as Tx.HashableDeployAccountV3, chainId)
    case 'L1_HANDLER 0':
      return l1HandlerHash(tx as Tx.HashableL1Handler, chainId)
    default:
      return refuse('transaction', 'a type and version that Starknet has', which)
  }
}

/**
 * Whether a transaction that a node answered has this hash. To a transaction of before Starknet 0.13.4, nodes add an `l1_data_gas`
 * of zeros (from version 0.8 of the RPC on) that was not signed: where both it and `l2_gas` are zero, the hash without it counts, too.
 * False for a transaction with `proof_facts` unless the node was asked for them (`INCLUDE_PROOF_FACTS`), and for some of mainnet's
 * first 1,470 blocks, which were hashed otherwise. @throws SchemaError for what is no such transaction
 */
export function isTransactionHash(hash: string, tx: Tx.HashableTransaction, chainId: string): boolean {
  const wanted = printFelt(felt(hash, 'hash'))
  if (transactionHash(tx, chainId) === wanted) return true
  if (plainVersion(tx.version) !== 3n) return false
  const { l1_gas, l2_gas, l1_data_gas } = (tx as Tx.HashableV3Fields).resource_bounds
  if (l1_data_gas === undefined || !isZero(l1_data_gas) || !isZero(l2_gas)) return false
  const asSigned = { ...tx, resource_bounds: { l1_gas, l2_gas } } as Tx.HashableTransaction
  return transactionHash(asSigned, chainId) === wanted
}

function isZero({ max_amount, max_price_per_unit }: Tx.HashableBound): boolean {
  return BigInt(max_amount) === 0n && BigInt(max_price_per_unit) === 0n
}

function classHashed<Declared extends { readonly class_hash: string }>(tx: Declared): Declared {
  const { contract_class } = tx as { readonly contract_class?: Tx.SierraClass }
  if (tx.class_hash !== undefined || contract_class === undefined) return tx
  return { ...tx, class_hash: sierraClassHash(contract_class) }
}
