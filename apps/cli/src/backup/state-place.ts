import { dirname, join } from 'node:path'
import { existsSync } from 'node:fs'
import { type CommandIo, UsageError } from '../command.ts'
import { defaultConfig } from '../config/default-config.ts'
import type { ValuesOf } from '../read-args.ts'

/** The places of a gateway's state. */
export interface StatePlace {
  /** Undefined where nothing but a database is kept. */
  readonly dataDir: string | undefined
  readonly sqlite: string | undefined
  /** The URL of a PostgreSQL database. */
  readonly postgres: string | undefined
  /** The folder of IPFS content, if it is kept in files. */
  readonly ipfsDir: string | undefined
}

/** The flags that name them, for `parseArgs`. */
export const placeFlags = { config: { type: 'string' }, 'data-dir': { type: 'string' } } as const

/** Reads them from `--config FILE`, `--data-dir DIR`, or the configuration of the current folder. @throws UsageError, ConfigError */
export async function readStatePlace(flags: ValuesOf<typeof placeFlags>, io: CommandIo): Promise<StatePlace> {
  const { config: file, 'data-dir': folder } = flags
  if (file !== undefined && folder !== undefined)
    throw new UsageError('expected --config FILE or --data-dir DIR, got both')
  if (folder !== undefined) {
    if (folder === '') throw new UsageError('--data-dir: expected a folder, got nothing')
    const sqlite = join(folder, 'wayleave.sqlite')
    return { dataDir: folder, sqlite, postgres: undefined, ipfsDir: join(folder, 'ipfs') }
  }
  const { loadConfig, storePlace } = await import('@wayleave/gateway')
  const config = await loadConfig(file ?? (await defaultConfig()), io.env)
  const { dataDir, ipfs } = config
  const store = storePlace(config)
  const sqlite = store !== 'memory' && 'sqlite' in store ? store.sqlite : undefined
  const postgres = store !== 'memory' && 'postgres' in store ? store.postgres : undefined
  if (dataDir === undefined && store === 'memory') {
    throw new UsageError('the configuration has neither dataDir nor a store that outlasts the gateway: nothing is kept')
  }
  const ipfsDir = ipfs?.backend === 'local' ? (ipfs.dir ?? join(dataDir!, 'ipfs')) : undefined
  return { dataDir, sqlite, postgres, ipfsDir }
}

/** The place of each file of an archive, by its name there; `ipfs/blocks` is a folder. */
export function destinations(place: StatePlace, fallback: string): Readonly<Record<string, string>> {
  const { dataDir, sqlite, ipfsDir } = place
  const folder = dataDir ?? (sqlite === undefined ? fallback : dirname(sqlite))
  return {
    'wayleave.sqlite': sqlite ?? join(folder, 'wayleave.sqlite'),
    'chains.json': join(folder, 'chains.json'),
    key: join(folder, 'key'),
    'postgres.dump': join(folder, 'postgres.dump'),
    'ipfs/identity': join(ipfsDir ?? join(folder, 'ipfs'), 'identity'),
    'ipfs/blocks': join(ipfsDir ?? join(folder, 'ipfs'), 'blocks'),
  }
}

/** The files that a gateway has open while it runs: SQLite files, also those that are mere locks. */
export function lockedFiles({ dataDir, sqlite }: StatePlace): readonly string[] {
  const spool = dataDir === undefined ? [] : [join(dataDir, 'usage.spool.lock')]
  return [...(sqlite === undefined ? [] : [sqlite]), ...spool].filter((path) => existsSync(path))
}
