import { createHttpListener } from '@wayleave/http-server'
import type { Config } from './config/config.ts'
import { openGateway } from './gateway.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { RunningGateway } from './running-gateway.ts'

/**
 * Opens the listeners of a checked configuration.
 * @throws ListenError where an address cannot be listened on; ConfigError where the files of `listen.tls`, the `store` or `ipfs` cannot
 * be used, where workers cannot serve it, and where no node tells the chain of a network that names none, for ten seconds. Nothing stays
 * open then.
 */
export function startGateway(config: Config, options: GatewayOptions = {}): Promise<RunningGateway> {
  return openGateway(config, options, () => createHttpListener)
}
