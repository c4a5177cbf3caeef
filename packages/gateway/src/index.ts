export { checkConfig, ConfigError, type ConfigProblem, printProblem } from './config/check.ts'
export {
  type AdminConfig,
  type Config,
  defineConfig,
  type EvmNetworkConfig,
  type GasConfig,
  type KeyConfig,
  type LimitsConfig,
  type ListenConfig,
  type MethodsConfig,
  type NetworkConfig,
  type ProjectConfig,
  type StarknetNetworkConfig,
  type StoreConfig,
  type TlsConfig,
  type UpstreamConfig,
} from './config/config.ts'
export type { IpfsConfig, KuboIpfsConfig, LocalIpfsConfig, ProjectIpfsConfig } from './config/ipfs-config.ts'
export { type ConfigReport, inspectConfig, loadConfig } from './config/load.ts'
export type { ConfigSummary, NetworkSummary } from './config/summary.ts'
export { realSurroundings, type Surroundings } from './defaults.ts'
export { type GatewayOptions, type RunningGateway, startGateway } from './gateway.ts'
export { ListenError } from './http/server.ts'
export { createLog, type Log, type LogOptions } from './ops/log.ts'
