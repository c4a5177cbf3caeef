export { explainUnreached, type Unreached, type UnreachedKind } from './chains/unreached.ts'
export { type NodeFault, recognizeNode, type RecognizedNode } from './chains/recognize-node.ts'
export { checkConfig, ConfigError, type ConfigProblem, type ConfigWarning, printProblem } from './config/check.ts'
export {
  type ConfigChange,
  type ConfigDiff,
  diffConfig,
  type NameDiff,
  noDiff,
  type ReloadReport,
} from './config/config-diff.ts'
export type { AdminConfig } from './config/admin-config.ts'
export { type Config, defineConfig, type StoreConfig } from './config/config.ts'
export type {
  EvmNetworkConfig,
  GasConfig,
  JsonrpcNetworkConfig,
  NetworkConfig,
  StarknetNetworkConfig,
  Duration,
  Moment,
  TimeoutsConfig,
} from '@wayleave/network/config'
export type { IpfsConfig } from './config/ipfs-config.ts'
export type { LimitsConfig } from './config/limits.ts'
export type { ListenConfig, TlsConfig } from './config/listen-config.ts'
export { findConfigFile } from './config/default-file.ts'
export type { UsageDaysConfig, WebhookConfig } from './config/metering-config.ts'
export type { KeyConfig, ProjectConfig, SecretConfig } from './config/project-config.ts'
export { namedProjects, type NamedProject } from './config/accounts.ts'
export { interpolate, type SecretText } from './config/interpolate.ts'
export { type ConfigReport, inspectConfig, loadConfig, problemOf } from './config/load.ts'
export { type Limits, limitsOf } from './config/limits.ts'
export { slugOfChain } from './config/known-chains.ts'
export { fileFingerprint } from '@wayleave/network/config'
export { readSecretFiles, type SecretFiles } from './config/secret-files.ts'
export { readSource, type Source, type Unreadable } from './config/source.ts'
export { type ConfigSummary, hostOf, type NetworkSummary } from './config/summary.ts'
export { defaultListen } from './config/listen-config.ts'
export {
  chainCheckOf,
  type NamedUpstream,
  namedUpstream,
  type ReportingNetworkConfig,
  reportsChain,
  type UpstreamBudgetConfig,
  type UpstreamConfig,
  type UpstreamTlsConfig,
} from '@wayleave/network/config'
export { realSurroundings } from './defaults.ts'
export type { Surroundings } from './surroundings.ts'
export { createGateway, type CreateGatewayOptions, type MountedGateway } from './create-gateway.ts'
export { startGateway } from './start-gateway.ts'
export type { StaticFile, StaticFiles } from './console/static-files.ts'
export type { ConsoleOptions, GatewayOptions, WorkersRequest } from './gateway-options.ts'
export type { RunningGateway } from './running-gateway.ts'
export { ListenError } from '@wayleave/http-server'
export { createLog, type Log, type LogOptions } from '@wayleave/telemetry'
export { configuredAccounts } from './admin/configured-accounts.ts'
export { storePlace } from './store.ts'
export { workerObstacle } from './cluster/worker-obstacle.ts'
export { autoWorkers } from './cluster/auto-workers.ts'
export type { TracingConfig } from './config/telemetry-config.ts'
export type { CallOutcome } from './trace/call-record.ts'
export type { ExplainedAttempt, ExplainedCandidate, Explanation } from './trace/explanation.ts'
export { openHttpPort, socketPortOn, type UpstreamWay, wayTo } from '@wayleave/network/config'
export { splitCredentials, type UpstreamAddress } from '@wayleave/network/config'
