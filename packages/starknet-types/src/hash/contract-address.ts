import { type Felt, printFelt } from '../felt.ts'
import { encodeShortString } from '../short-string.ts'
import { felt, felts } from './numbers.ts'
import { pedersenArray } from './pedersen.ts'

/** Addresses end below this: the rest of the range is kept for storage. */
const addressBound = (1n << 251n) - 256n

export interface ContractAddressOf {
  readonly classHash: string
  readonly salt: string
  readonly constructorCalldata: readonly string[]
  /** The contract that deploys; `0x0`, for transactions of type DEPLOY and DEPLOY_ACCOUNT, unless given. */
  readonly deployer?: string | undefined
}

/** The address at which a contract is deployed, a felt. @throws SchemaError for what is no felt */
export function contractAddress({ classHash, salt, constructorCalldata, deployer = '0x0' }: ContractAddressOf): Felt {
  const hash = pedersenArray([
    BigInt(encodeShortString('STARKNET_CONTRACT_ADDRESS')),
    felt(deployer, 'deployer'),
    felt(salt, 'salt'),
    felt(classHash, 'class hash'),
    pedersenArray(felts(constructorCalldata, 'constructor calldata')),
  ])
  return printFelt(hash % addressBound)
}
