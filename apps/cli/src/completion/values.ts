import { starknetVersions } from '@wayleave/starknet-types'
import { levels } from '../commands/gas-table.ts'

/** The values that a flag takes, where they are few and known without asking anybody. */
export const flagValues: Readonly<Record<string, readonly string[]>> = {
  '--network': ['dev', 'rollup-dev', 'starknet-dev'],
  '--spec-version': starknetVersions,
  '--level': levels,
  '--verify': ['off', 'consistent', 'proven'],
}
