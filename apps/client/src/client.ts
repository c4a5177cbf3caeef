import type { StarknetVersion } from '@wayleave/starknet-types'
import { assertOptions } from './assert-options.ts'
import { fetchMissedLater } from './events/fetch-missed-later.ts'
import type { EvmClient } from './evm-client.ts'
import type { GasMethods } from './gas/gas-calls.ts'
import { gasMethods } from './gas/gas-methods.ts'
import { type IpfsMethods, ipfsMethods } from './ipfs/ipfs-methods.ts'
import { openEvmClient } from './open-evm-client.ts'
import type { ClientOptions } from './options.ts'
import { type StarknetClient, starknetMethods } from './starknet/starknet-methods.ts'
import { starknetTable } from './starknet/starknet-table.ts'
import { verificationOf } from './verification.ts'

/** The client of {@link createClient}; `V` is its `starknetVersion`. */
export interface Client<V extends StarknetVersion = '0.5.1'> extends EvmClient {
  readonly gas: GasMethods
  readonly ipfs: IpfsMethods
  readonly starknet: StarknetClient<V>
}

/**
 * Creates a typed client for Wayleave, or for any EVM or Starknet node. Nothing is opened before the first call.
 * @throws TypeError for unusable options, AuthError for a secret that HTTP Basic cannot carry.
 */
export function createClient<V extends StarknetVersion = '0.5.1'>(options: ClientOptions<V>): Client<V> {
  assertOptions(options, 'createClient')
  const { client, connection, timeoutMs } = openEvmClient(options, {
    verification: verificationOf(options),
    resubscribe: options.resubscribe === false ? undefined : fetchMissedLater,
    others: starknetTable,
  })
  const { handler, gas: host, bearer, redaction } = connection
  const version = (options.starknetVersion ?? '0.5.1') as V
  return {
    ...client,
    gas: gasMethods({ host, bearer, handler, chainId: options.chainId, timeoutMs }, redaction),
    ipfs: ipfsMethods(options, bearer, redaction),
    starknet: starknetMethods(version, client.requestUnchecked, handler, timeoutMs),
  }
}
