export { checkConfig, ConfigError } from './config/check.ts'
export {
  type AdminConfig,
  type Config,
  defineConfig,
  type KeyConfig,
  type LimitsConfig,
  type ListenConfig,
  type MethodsConfig,
  type NetworkConfig,
  type ProjectConfig,
  type UpstreamConfig,
} from './config/config.ts'
export { loadConfig } from './config/load.ts'
export { realSurroundings, type Surroundings } from './defaults.ts'
export { type GatewayOptions, type RunningGateway, startGateway } from './gateway.ts'
export { ListenError } from './listeners/listen.ts'
export { createLog, type Log, type LogOptions } from './log.ts'
