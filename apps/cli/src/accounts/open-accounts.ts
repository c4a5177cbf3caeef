import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import type { ConfiguredAccounts } from '@wayleave/admin-api'
import { type AdminClient, createAdminClient } from '@wayleave/admin-api/client'
import type { StoresOptions } from '@wayleave/stores'
import { type CommandIo, UsageError } from '../command.ts'
import type { AccountFlagValues } from './flags.ts'
import { gatewayPlace } from './gateway-place.ts'

/** The accounts of a gateway, or of its store. */
interface Accounts {
  readonly client: AdminClient
  close(): Promise<void>
}

/** Opens the gateway or the store that the flags name. @throws UsageError, ConfigError, StoresError */
export async function openAccounts(flags: AccountFlagValues, io: CommandIo): Promise<Accounts> {
  const { admin, config, store } = flags
  const named = Object.entries({ admin, config, store }).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (named.length > 1) throw new UsageError(`expected one of ${named.map((name) => `--${name}`).join(' and ')}`)
  if (config === undefined && store === undefined) return openGateway(flags, io)
  const given = (['token', 'token-file'] as const).find((name) => flags[name] !== undefined)
  if (given !== undefined)
    throw new UsageError(`--${given}: only a running gateway asks for a token, --${named[0]} opens its store`)
  return config === undefined ? openStore(placeOf(store!), { projects: [] }, io) : openConfigured(config, io)
}

async function openGateway(flags: AccountFlagValues, io: CommandIo): Promise<Accounts> {
  const { token, ...place } = await gatewayPlace(flags, io)
  if (token === undefined) {
    throw new UsageError(
      'expected an admin token, in $WAYLEAVE_ADMIN_TOKEN or by --token-file FILE; --config FILE and --store STORE open the store without one',
    )
  }
  return { client: createAdminClient({ ...place, token }), close: async () => {} }
}

function placeOf(store: string): StoresOptions {
  if (/^postgres(?:ql)?:/.test(store)) return { postgres: store }
  // Another scheme is a mistake, and may hold a password.
  if (/^\w+:\/\//.test(store))
    throw new UsageError('--store: expected the path of an SQLite file, or a postgres:// URL')
  if (!existsSync(store)) {
    throw new UsageError(
      `--store: expected an SQLite file that exists, got "${store}"; --config FILE makes the one of a configuration`,
    )
  }
  return { sqlite: store }
}

async function openConfigured(file: string, io: CommandIo): Promise<Accounts> {
  const { configuredAccounts, loadConfig, namedProjects, storePlace } = await import('@wayleave/gateway')
  const config = await loadConfig(file, io.env)
  const place = storePlace(config)
  if (place === 'memory') {
    throw new UsageError(`--config: ${file} has no store that outlasts the gateway: set store or dataDir`)
  }
  if ('sqlite' in place) await mkdir(dirname(place.sqlite), { recursive: true })
  return openStore(place, configuredAccounts(namedProjects(config), sha256, config.plans), io)
}

/** Opens a store and serves the API over it in this process, under the name of the user in the audit log. */
async function openStore(place: StoresOptions, configured: ConfiguredAccounts, io: CommandIo): Promise<Accounts> {
  const [{ createAdminApi }, { createApiSecret }, { openStores }] = await Promise.all([
    import('@wayleave/admin-api'),
    import('@wayleave/auth'),
    import('@wayleave/stores'),
  ])
  const stores = await openStores(place)
  for (const notice of stores.notices) io.stderr(`${notice}\n`)
  const token = createApiSecret()
  const { handle } = createAdminApi({
    accounts: stores.accounts,
    usage: stores.usage,
    configured,
    tokens: [{ name: actor(), tokenHash: sha256(token), scopes: ['all'] }],
    sha256,
    onFailure: ({ error, id }) =>
      io.stderr(`${id}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
  })
  return { client: createAdminClient({ handle, token }), close: () => stores.close() }
}

function actor(): string {
  try {
    return `cli:${userInfo()
      .username.replace(/[^\w.@-]/g, '_')
      .slice(0, 60)}`
  } catch {
    // A container's user may have no name.
    return 'cli'
  }
}

function sha256(text: string): string {
  return hash('sha256', text)
}
