import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspectConfig } from '@wayleave/gateway'
import { parse } from 'yaml'

type Members = Readonly<Record<string, unknown>>

/** What a part of a configuration is tried with. */
const whole = {
  networks: {
    mainnet: { kind: 'evm', chainId: 1, upstreams: ['http://node.example', 'ws://b.example', 'http://c.example'] },
  },
}

/** A text that fits where a file of a secret is named. */
function secretOf(file: string): string {
  if (file.includes('database')) return 'postgres://wayleave:a-password@db.example/wayleave'
  if (file.includes('redis')) return 'redis://redis.example:6379'
  return /url/.test(file) ? 'https://provider.example/v2/a-key' : '0123456789abcdef0123456789abcdef'
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function merged(base: Members, over: Members): Members {
  const result: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(over)) {
    const below = result[name]
    result[name] = isMembers(below) && isMembers(value) ? merged(below, value) : value
  }
  return result
}

/** Checks a configuration, or a part of one together with what it lacks. Resolves with its problems. */
export async function problemsOfConfig(yaml: string): Promise<readonly string[]> {
  const text = yaml.replaceAll(/\$\{file:([^}]+)\}/g, (_all, file: string) => secretOf(file))
  const value = parse(text) as unknown
  if (!isMembers(value)) return ['expected members']
  // The values of the Helm chart hold a configuration.
  const given = isMembers(value['config']) ? value['config'] : value
  const config = isWhole(given) ? given : merged(whole, given)
  const variables = [...text.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name]) => [name!, valueOf(name!)] as const)
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-site-'))
  try {
    const file = join(folder, 'wayleave.config.json')
    await writeFile(file, JSON.stringify(config))
    const { problems } = await inspectConfig(file, Object.fromEntries(variables))
    return problems.map(({ path, expected, got }) => `${path}: expected ${expected}, got ${got}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function isWhole({ networks }: Members): boolean {
  return isMembers(networks) && Object.values(networks).every((network) => isMembers(network) && 'kind' in network)
}

/** A value for a variable of the environment: each its own, since keys must differ. */
function valueOf(name: string): string {
  if (name.endsWith('PORT')) return String(20_000 + (Buffer.from(name)[0]! % 100))
  if (name.endsWith('URL')) return 'https://provider.example/v2/a-key'
  return `${name.toLowerCase().replaceAll('_', '-')}-0123456789abcdef`
}
