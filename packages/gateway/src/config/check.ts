import type { Config } from './config.ts'
import { configSchema } from './schema.ts'

/** Thrown for a configuration that cannot be used: where, what was expected, and what to do. */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError'
}

/** The members whose values an error may show. Any other, or whatever stands in its place, may hold a secret. */
const shownMembers =
  /^\.(dataDir|defaultNetwork|(listen|limits)\.\w+|bareHosts\[\d+\]|methods\.deny\[\d+\]|networks(\.\w+|\["[^"]+"\])\.(kind|chainId|rollupMode)|projects\[\d+\]\.(name|requireSecret|networks\[\d+\]))$/

/** First segments of other paths. */
const reservedSlugs = /^(ws|healthz|readyz|v\d+)$/

/** The configuration, checked. @throws ConfigError */
export function checkConfig(value: unknown): Config {
  const issue = configSchema.check(value, '')
  if (issue !== undefined) {
    const where = issue.path === '' ? 'the configuration' : issue.path.replace(/^\./, '')
    const harmless = shownMembers.test(issue.path) || /^(null|nothing|an? )/.test(issue.received)
    const received = harmless ? issue.received : 'another value'
    throw new ConfigError(`${where}: expected ${issue.expected}, got ${received}`)
  }
  const config = value as Config
  const networks = Object.keys(config.networks)
  if (networks.length === 0) throw new ConfigError('networks: expected at least one network')
  for (const [name, { upstreams }] of Object.entries(config.networks)) {
    if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name) || reservedSlugs.test(name)) {
      throw new ConfigError(
        `networks.${name}: expected a slug of lower-case letters, digits and -, that is not a path of its own`,
      )
    }
    if (upstreams.length === 0) throw new ConfigError(`networks.${name}.upstreams: expected at least one upstream`)
  }
  const { defaultNetwork } = config
  if (defaultNetwork !== undefined && !networks.includes(defaultNetwork)) {
    throw new ConfigError(`defaultNetwork: expected one of ${networks.join(', ')}, got "${defaultNetwork}"`)
  }
  for (const [i, project] of (config.projects ?? []).entries()) {
    const stranger = project.networks?.find((name) => !networks.includes(name))
    if (stranger !== undefined) {
      throw new ConfigError(`projects[${i}].networks: expected names out of ${networks.join(', ')}, got "${stranger}"`)
    }
  }
  return config
}
