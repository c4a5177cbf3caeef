import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chownSync, constants, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from './free-port.ts'

export const password = 'p@ss:w/rd'

/** A PostgreSQL server of its own, in a temporary folder, on a free port of the loopback interface. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number
  /** The URL of a database that is made here, empty. */
  createDatabase(name: string): Promise<string>
  /** Ends the server at once, does `meanwhile`, and starts it again on the same port. */
  restart(meanwhile: () => Promise<void>): Promise<void>
  /** Stops every process of the server, as they are, for as long as `meanwhile` takes. */
  freeze(meanwhile: () => Promise<void>): Promise<void>
  /** Ends the server at once, its connections with it. May be called again. */
  stop(): Promise<void>
}

/** Why no server can be started here; undefined where one can. */
export function missingPostgres(): string | undefined {
  return findBinaries() === undefined ? 'neither initdb nor postgres was found' : undefined
}

let shared: Promise<PostgresServer> | undefined
let databases = 0

/** The URL of an empty database on a server that this process starts once, and that ends with it. For tests that leave their server running. */
export async function freshDatabase(): Promise<string> {
  shared ??= startPostgres()
  return (await shared).createDatabase(`fresh${++databases}`)
}

export async function startPostgres(): Promise<PostgresServer> {
  const binaries = findBinaries()!
  const owner = serverUser()
  const folder = mkdtempSync(join(tmpdir(), 'wayleave-postgres-'))
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password)
  if (owner !== undefined) for (const path of [folder, passwordFile]) chownSync(path, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' }
  const auth = ['--username=admin', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  execFileSync(join(binaries, 'initdb'), ['-D', data, '--no-sync', '--encoding=UTF8', ...auth], {
    ...owner,
    env,
    cwd: folder,
    stdio: 'ignore',
  })

  async function launch(port: number) {
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'off',
      full_page_writes: 'off',
      wal_level: 'minimal',
      max_wal_senders: '0',
      autovacuum: 'off',
      shared_buffers: '16MB',
    }
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const stdio = ['pipe', 'ignore', 'pipe'] as const
    // The shell reads until this process closes the pipe, or dies of whatever: so no server outlives its test, nor does its folder.
    const script =
      'folder=$1; shift; "$@" <&- & read -r end; kill -QUIT $!; wait; [ "$end" = keep ] || rm -rf "$folder"'
    const guarded = ['-c', script, 'sh', folder, join(binaries, 'postgres'), '-D', data]
    const child = spawn('/bin/sh', [...guarded, ...args], { ...owner, env, cwd: folder, stdio: [...stdio] })
    const exited = once(child, 'exit')
    await ready(child)
    // The server ends with this process, which does not wait for it.
    child.unref()
    for (const pipe of [child.stdin, child.stderr]) (pipe as Socket).unref()
    return { port, child, exited }
  }

  // Somebody may take the port between its choice and its use.
  let running = await freePort()
    .then(launch)
    .catch(async () => launch(await freePort()))
  const { port } = running

  const urlOf = (database: string): string =>
    `postgres://admin:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`

  async function halt(): Promise<void> {
    running.child.stdin.end('keep\n')
    await running.exited
  }

  /** The server and all of its children. */
  function processes(): readonly number[] {
    const main = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0])
    const children = readFileSync(`/proc/${main}/task/${main}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
    return [main, ...children]
  }

  async function stop(): Promise<void> {
    await halt()
    await rm(folder, { recursive: true, force: true })
  }

  return {
    port,
    async createDatabase(name) {
      const { default: pg } = await import('pg')
      const client = new pg.Client(urlOf('postgres'))
      await client.connect()
      await client.query(`create database "${name}"`)
      await client.end()
      return urlOf(name)
    },
    async restart(meanwhile) {
      await halt()
      try {
        await meanwhile()
      } finally {
        running = await launch(port)
      }
    },
    async freeze(meanwhile) {
      const stopped = processes()
      for (const pid of stopped) signalIfAlive(pid, 'SIGSTOP')
      try {
        await meanwhile()
      } finally {
        for (const pid of stopped) signalIfAlive(pid, 'SIGCONT')
      }
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** The folder of both programs. */
function findBinaries(): string | undefined {
  const versions = '/usr/lib/postgresql'
  const packaged = (list(versions) ?? []).toSorted((a, b) => Number(b) - Number(a)).map((v) => join(versions, v, 'bin'))
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/local/bin', ...packaged]
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => isExecutable(join(folder, name))))
}

function list(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder)
  } catch {
    return undefined
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** PostgreSQL refuses to run as root; its package brings a user of its own. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string, user: string): number => Number(execFileSync('id', [flag, user], { stdio: 'pipe' }))
  try {
    return { uid: idOf('-u', 'postgres'), gid: idOf('-g', 'postgres') }
  } catch {
    return { uid: idOf('-u', 'nobody'), gid: idOf('-g', 'nobody') }
  }
}

/** Runs one statement over a connection of its own. */
export async function queryPostgres(url: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const { default: pg } = await import('pg')
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

async function ready(child: ChildProcess): Promise<void> {
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr! })) {
    said.push(line)
    // Its guard would wait on. Callers of before who come too early are told this, too.
    if (line.includes('FATAL:') && !line.includes('the database system is')) child.stdin!.end('keep\n')
    if (line.includes('ready to accept connections')) {
      // Its further output must not fill the pipe.
      child.stderr!.resume()
      return
    }
  }
  throw new Error(`postgres did not start:\n${said.join('\n')}`)
}

/** A server process may end by itself between the listing and the signal. */
function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
