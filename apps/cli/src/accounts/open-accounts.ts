import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { type AdminClient, type ConfiguredAccounts, createAdminApi, createAdminClient } from '@wayleave/admin-api'
import { createApiSecret } from '@wayleave/auth'
import type { StoresOptions } from '@wayleave/stores'
import { type CommandIo, UsageError } from '../command.ts'
import { fromEnv } from '../from-env.ts'
import { type AccountFlagValues, readText } from './flags.ts'
import { readStdin } from './stdin.ts'

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

/** The admin listener of a running gateway. */
export interface GatewayPlace {
  /** `http` or `https`, without credentials and path. */
  readonly url: string
  /** Undefined where none is given. */
  readonly token: string | undefined
  readonly timeoutMs: number
}

/** Reads where a running gateway is, and the token for it. @throws UsageError */
export async function gatewayPlace(flags: AccountFlagValues, io: CommandIo): Promise<GatewayPlace> {
  const seconds = Number(flags.timeout)
  if (!(seconds > 0 && seconds <= 86_400)) {
    throw new UsageError(`--timeout: expected seconds above 0, got "${flags.timeout}"`)
  }
  const url = flags.admin ?? fromEnv(io.env, 'WAYLEAVE_ADMIN_URL') ?? 'http://127.0.0.1:8546'
  const base = URL.parse(url)
  if (base === null || !/^https?:$/.test(base.protocol) || base.username !== '' || base.password !== '') {
    throw new UsageError('--admin: expected an http or https URL without credentials')
  }
  if (base.pathname !== '/') throw new UsageError('--admin: expected a URL without a path')
  return { url: base.origin, token: await readToken(flags, io), timeoutMs: seconds * 1_000 }
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

async function readToken(flags: AccountFlagValues, io: CommandIo): Promise<string | undefined> {
  const { token, 'token-file': file } = flags
  if (token !== undefined && file !== undefined) throw new UsageError('expected --token or --token-file, not both')
  if (token !== undefined) {
    io.stderr('--token: all users of this machine can see it; $WAYLEAVE_ADMIN_TOKEN and --token-file keep it to you\n')
  }
  const read =
    file === '-' ? await readStdin(io) : file === undefined ? undefined : await readText('--token-file', file)
  const given = token ?? read?.trim() ?? fromEnv(io.env, 'WAYLEAVE_ADMIN_TOKEN')
  if (given !== undefined && !/^[\x21-\x7e]{1,1024}$/.test(given)) {
    throw new UsageError('the admin token: expected 1 to 1,024 printable ASCII characters without spaces')
  }
  return given
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
  const { openStores } = await import('@wayleave/stores')
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
