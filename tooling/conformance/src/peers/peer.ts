import { spawn } from 'node:child_process'
import { accessSync, constants, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A third-party program that interop suites run against. */
export interface Peer {
  readonly name: string
  /** The program's name on the PATH. */
  readonly program: string
  /** The variable that tells the suites the program's path. A user may set it to choose one. */
  readonly variable: string
  /** The tool that builds the program if it is not installed. */
  readonly toolchain: string
  /** Builds it as `${folder}/bin/${program}`. */
  build(folder: string): Promise<void>
}

/** The path of a peer, or the reason why it is missing. */
export type FoundPeer = { readonly path: string; readonly missing?: undefined } | { readonly missing: string }

/** The folder of built peers, kept for the next run. */
const cache = fileURLToPath(new URL('../../../../node_modules/.cache/wayleave-peers', import.meta.url))

/** Finds a peer by its variable, on the PATH or in the cache; else builds it if its toolchain is installed. */
export async function providePeer(peer: Peer, report: (line: string) => void): Promise<FoundPeer> {
  const folder = join(cache, peer.name)
  const built = join(folder, 'bin', peer.program)
  const given = process.env[peer.variable]
  if (given !== undefined) return isProgram(given) ? { path: given } : { missing: `${peer.variable} names no program` }
  const found = findProgram(peer.program) ?? (isProgram(built) ? built : undefined)
  if (found !== undefined) return { path: found }
  if (findProgram(peer.toolchain) === undefined) {
    return { missing: `neither ${peer.program} nor ${peer.toolchain}, which would build it, is on the PATH` }
  }
  report(`building ${peer.name} with ${peer.toolchain}; the first time this takes a while`)
  try {
    mkdirSync(folder, { recursive: true })
    await peer.build(folder)
  } catch (thrown) {
    return { missing: `it could not be built: ${(thrown as Error).message}` }
  }
  return isProgram(built) ? { path: built } : { missing: 'its build left no program' }
}

/** The path of a program on the PATH; undefined where it is not installed. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, name)).find(isProgram)
}

/** Whether a file may be run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Runs a command to its end. Resolves with its output; rejects with the last line of its stderr. */
export function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const child = spawn(command, args, {
    ...options,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [printed, complained] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed = (printed + text).slice(-1_000_000)))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complained = (complained + text).slice(-10_000)))
  child.on('error', reject)
  child.on('close', (status) => {
    if (status === 0) resolve(printed)
    else reject(new Error(complained.trim().split('\n').at(-1) || `${command} ended with ${status}`))
  })
  return promise
}
