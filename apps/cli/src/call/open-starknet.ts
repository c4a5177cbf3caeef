import { type Client, createClient } from '@wayleave/client'
import { fetchMissed } from '@wayleave/client/events'
import { starknet } from '@wayleave/client/starknet'
import { pathOf, type StarknetVersion } from '@wayleave/starknet-types'
import type { CommandIo } from '../command.ts'
import type { CallFlagValues } from './call-flags.ts'
import { clientOptions, type Listeners, orUsage } from './open-client.ts'

export interface StarknetConnection {
  readonly client: Client
  /** Whether the URL holds the key of a gateway, which speaks every version. */
  readonly isGateway: boolean
}

/** Opens a client for Starknet, whose dev network is `starknet-dev`. @throws UsageError */
export function openStarknet(
  flags: CallFlagValues,
  env: CommandIo['env'],
  version: StarknetVersion,
  listeners: Listeners = {},
): StarknetConnection {
  const options = clientOptions(flags, env, 'starknet-dev')
  const { url = '', apiKey } = options
  // The WebSocket URL of a gateway keeps its key.
  const isSocket = apiKey === undefined && /^wss?:.*\/ws\/v3\/[^/]+$/.test(url)
  const place = isSocket ? { url: `${url}/rpc/${pathOf(version)}` } : {}
  const client = orUsage(flags, options.url, () =>
    createClient({
      ...options,
      ...place,
      ...listeners,
      resubscribe: fetchMissed,
      apis: { starknet: starknet({ version }) },
    }),
  )
  return { client, isGateway: isSocket || apiKey !== undefined }
}
