import type { Generated } from '../page.ts'
import { adminApi } from './admin-api.ts'
import { command } from './command.ts'
import { documents } from './documents.ts'
import { errorCodes } from './error-codes.ts'
import { evmMethods } from './evm-methods.ts'
import { ipfsCommands } from './ipfs-commands.ts'
import { packages } from './packages.ts'
import { starknetMethods } from './starknet-methods.ts'

/** The generators by the names that the site map uses. */
export const generators: Readonly<Record<string, (path: string) => Promise<Generated>>> = {
  adminApi,
  command,
  documents,
  errorCodes,
  evmMethods,
  ipfsCommands,
  packages,
  starknetMethods,
}
