import type { Felt } from '../felt.ts'
import { felt, felts } from './numbers.ts'
import { pedersenTransactionHash } from './pedersen.ts'
import type { HashableL1Handler } from './transactions.ts'
import { versionNumber } from './version.ts'

/** The hash of an L1_HANDLER transaction on a chain, a felt. @throws SchemaError for what is no such transaction */
export function l1HandlerHash(tx: HashableL1Handler, chainId: string): Felt {
  return pedersenTransactionHash(
    {
      prefix: 'l1_handler',
      version: versionNumber(tx.version, 0n),
      address: felt(tx.contract_address, 'contract_address'),
      selector: felt(tx.entry_point_selector, 'entry_point_selector'),
      calldata: felts(tx.calldata, 'calldata'),
      maxFee: 0n,
      additional: [felt(tx.nonce, 'nonce')],
    },
    chainId,
  )
}
