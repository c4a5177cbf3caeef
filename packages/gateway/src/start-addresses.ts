import { reserveAddress } from './cluster/reserve-address.ts'
import { workerObstacle } from './cluster/worker-obstacle.ts'
import { ConfigError, toProblem } from './config/check.ts'
import type { Config } from './config/config.ts'
import { startIssues } from './config/cross-checks.ts'
import { defaultListen } from './config/listen-config.ts'
import { consoleObstacle } from './console/console-obstacle.ts'
import type { GatewayOptions } from './gateway-options.ts'

/** Finds the addresses of a start, that of JSON-RPC reserved where several processes share it. @throws ConfigError where it must not begin */
export async function startAddresses(config: Config, options: GatewayOptions, workerCount: number) {
  const addresses = { ...defaultListen, ...config.listen }
  const obstacle = (workerCount > 1 ? workerObstacle(config) : undefined) ?? consoleObstacle(options, addresses)
  if (obstacle !== undefined) throw new ConfigError([obstacle])
  const issues = startIssues({ ...config })
  if (issues.length > 0) throw new ConfigError(issues.map((issue) => toProblem(issue)))
  if (workerCount < 2) return addresses
  return { ...addresses, rpc: await reserveAddress(addresses.rpc, options.sockets?.rpc) }
}
