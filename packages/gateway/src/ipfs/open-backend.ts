import { join } from 'node:path'
import type { IpfsError } from '@wayleave/ipfs-http'
import type { IpfsBackend } from '@wayleave/ipfs-http/server'
import type { Clock } from '@wayleave/jsonrpc-core'
import { ConfigError } from '../config/check.ts'
import type { IpfsConfig } from '../config/config.ts'

/** Opens what `ipfs` describes; its code loads only here. @throws ConfigError where it cannot be opened */
export async function openBackend(config: IpfsConfig, dataDir: string | undefined, clock: Clock): Promise<IpfsBackend> {
  if (config.backend === 'kubo') {
    const { createKuboBackend } = await import('@wayleave/ipfs-http/kubo')
    return createKuboBackend({ url: config.url, clock })
  }
  const { createLocalBackend } = await import('@wayleave/ipfs-http/local')
  const { gateways = [], direct = false } = config
  // The check of the configuration has seen to it that one of them is given.
  const dir = config.dir ?? join(dataDir ?? '.', 'ipfs')
  try {
    return await createLocalBackend({ dir, gateways, direct, clock })
  } catch (thrown) {
    if ((thrown as IpfsError).name !== 'IpfsError') throw thrown
    const got = `one that cannot be used: ${(thrown as IpfsError).message}`
    throw new ConfigError([{ path: config.dir === undefined ? 'dataDir' : 'ipfs.dir', expected: 'a folder', got }])
  }
}
