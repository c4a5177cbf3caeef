import { poseidonHashMany } from '@scure/starknet'
import { type Felt, printFelt } from '../felt.ts'
import { encodeShortString } from '../short-string.ts'
import { felt, refuse } from './numbers.ts'
import { starknetKeccak } from './selector.ts'
import type { SierraClass, SierraEntryPoint } from './transactions.ts'
import { poseidonFelts } from './v3.ts'

/** The class hash of a Sierra class, a felt. @throws SchemaError for what is no such class */
export function sierraClassHash(contractClass: SierraClass): Felt {
  const {
    contract_class_version: version,
    entry_points_by_type: entryPoints,
    abi = '',
  } = contractClass ?? refuse('contract_class', 'a class', contractClass)
  if (typeof version !== 'string') refuse('contract_class_version', 'a string such as 0.1.0', version)
  if (typeof abi !== 'string') refuse('abi', 'its JSON text, as it was declared', abi)
  return printFelt(
    poseidonHashMany([
      BigInt(encodeShortString(`CONTRACT_CLASS_V${version}`)),
      entryPointsHash(entryPoints?.EXTERNAL, 'EXTERNAL'),
      entryPointsHash(entryPoints?.L1_HANDLER, 'L1_HANDLER'),
      entryPointsHash(entryPoints?.CONSTRUCTOR, 'CONSTRUCTOR'),
      starknetKeccak(abi),
      poseidonFelts(contractClass.sierra_program, 'sierra_program'),
    ]),
  )
}

function entryPointsHash(entryPoints: readonly SierraEntryPoint[], what: string): bigint {
  if (!Array.isArray(entryPoints)) refuse(`entry points ${what}`, 'a list', entryPoints)
  return poseidonHashMany(
    entryPoints.flatMap((entryPoint: SierraEntryPoint | undefined) => {
      const index = entryPoint?.function_idx
      if (index === undefined || !Number.isSafeInteger(index) || index < 0) refuse('function_idx', 'an index', index)
      return [felt(entryPoint?.selector, 'selector'), BigInt(index)]
    }),
  )
}
