import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createMemoryFeeStore, type FeeStore } from '@wayleave/gas-fees'
import type { PinLedger } from '@wayleave/ipfs-http/server'
import { ConfigError } from './config/check.ts'
import type { Config } from './config/config.ts'

/** The open store of a gateway. */
export interface OpenStore {
  readonly fees: FeeStore
  /** Undefined where the store ends with the process. */
  readonly pins: PinLedger | undefined
  close(): Promise<void>
}

/** Opens the configured store. @throws ConfigError, without credentials, where it cannot be opened */
export async function openStore({ store, dataDir }: Pick<Config, 'store' | 'dataDir'>): Promise<OpenStore> {
  const place = store ?? (dataDir === undefined ? 'memory' : { sqlite: join(dataDir, 'wayleave.sqlite') })
  if (place === 'memory') return { fees: createMemoryFeeStore(), pins: undefined, close: async () => {} }
  // A gateway that keeps nothing need not load two databases.
  const { openStores, StoresError } = await import('@wayleave/stores')
  try {
    if ('sqlite' in place) await mkdir(dirname(place.sqlite), { recursive: true })
    return await openStores(place)
  } catch (thrown) {
    const path = store === undefined ? 'dataDir' : `store.${'sqlite' in place ? 'sqlite' : 'postgres'}`
    const got = thrown instanceof StoresError ? `one that is ${thrown.code}: ${thrown.message}` : folderFault(thrown)
    if (got === undefined) throw thrown
    throw new ConfigError([{ path, expected: 'a store that can be opened', got }])
  }
}

/** Describes an error of the file system; undefined for any other. */
function folderFault(thrown: unknown): string | undefined {
  const { code, syscall } = thrown as NodeJS.ErrnoException
  return syscall === undefined ? undefined : `a folder that cannot be made (${code})`
}
