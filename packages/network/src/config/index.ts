export { cache, cacheBytesOf } from './cache-config.ts'
export { consensusIssues } from './consensus-config.ts'
export { type Duration, msOf } from './duration.ts'
export { type Environment, environmentProxy } from './environment-proxy.ts'
export { type Members, type Placed, elementsOf, repetitions, unknownNetwork } from './issue-parts.ts'
export { type Moment, dateOf, moment } from './moment.ts'
export {
  type EvmNetworkConfig,
  type GasConfig,
  type JsonrpcNetworkConfig,
  type NetworkConfig,
  type PinnedNetwork,
  type StarknetNetworkConfig,
  apiVersionOf,
  evmSettings,
  gasDefaults,
  jsonrpcSettings,
  networkDefaults,
  networkSchema,
  slug,
  verifies,
} from './network-config.ts'
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
  type Setting,
  defaultsOf,
  exact,
  required,
  setting,
  withDefaults,
} from './setting.ts'
export { type UpstreamAddress, splitCredentials } from './split-credentials.ts'
export { type TimeoutsConfig, timeouts } from './timeouts-config.ts'
export {
  type NamedUpstream,
  type UpstreamBudgetConfig,
  type UpstreamConfig,
  type UpstreamTlsConfig,
  isSocketUrl,
  namedUpstream,
  upstreamName,
} from './upstream-config.ts'
export { type UpstreamWay, openHttpPort, socketPortOn, wayTo } from './upstream-way.ts'
