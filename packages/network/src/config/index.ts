export { cache, cacheBytesOf } from './cache-config.ts'
export { type Duration, msOf } from './duration.ts'
export { type Environment, environmentProxy } from './environment-proxy.ts'
export { elementsOf, type Members, type Placed, repetitions, unknownNetwork } from './issue-parts.ts'
export { dateOf, type Moment, moment } from './moment.ts'
export {
  allowedMethodsOf,
  apiVersionOf,
  asWritten,
  chainCheckOf,
  type EvmNetworkConfig,
  evmSettings,
  type GasConfig,
  gasDefaults,
  type JsonrpcNetworkConfig,
  type NetworkConfig,
  networkDefaults,
  networkSchema,
  type PinnedNetwork,
  type ReportingNetworkConfig,
  reportsChain,
  slug,
  type StarknetNetworkConfig,
  verifies,
} from './network-config.ts'
export { networkIssues } from './network-issues.ts'
export { networkLimits } from './network-limits.ts'
export { readPem } from './pem.ts'
export { type FileBytes, fileFingerprint, fingerprintOf, readBounded } from './read-bounded.ts'
export { redis } from './redis-schema.ts'
export { nodesOf, sameNodeWarnings } from './same-nodes.ts'
export {
  arrayUpTo,
  bytes,
  bytesInMemory,
  count,
  filePath,
  filled,
  headers,
  isObject,
  methodPattern,
  milliseconds,
  name,
  numberThat,
  refusal,
  stringThat,
  url,
} from './schema-parts.ts'
export {
  type DefaultedSetting,
  type DefaultsOf,
  defaultsOf,
  exact,
  required,
  type Setting,
  setting,
  withDefaults,
} from './setting.ts'
export { splitCredentials, type UpstreamAddress } from './split-credentials.ts'
export { timeouts, type TimeoutsConfig } from './timeouts-config.ts'
export {
  isSocketUrl,
  type NamedUpstream,
  namedUpstream,
  type UpstreamBudgetConfig,
  type UpstreamConfig,
  upstreamName,
  type UpstreamTlsConfig,
} from './upstream-config.ts'
export { openHttpPort, socketPortOn, type UpstreamWay, wayTo } from './upstream-way.ts'
