import { execFile, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Not the settings of the person who runs the tests. */
const surroundings = { cwd: tmpdir(), env: { HOME: tmpdir(), NO_COLOR: '1' } }
const arch = process.arch === 'x64' ? 'amd64' : process.arch

/** The binary itself: the package's own launcher starts a Node for each call. */
function findCast(): string {
  const launcher = import.meta.resolve('@foundry-rs/cast/package.json')
  const home = dirname(createRequire(launcher).resolve(`@foundry-rs/cast-${process.platform}-${arch}/package.json`))
  return join(home, 'bin', process.platform === 'win32' ? 'cast.exe' : 'cast')
}

/** The URL stands first: `cast send --create` takes no option after its code. */
function withUrl([command, ...rest]: readonly string[], url: string): string[] {
  return [command!, '--rpc-url', url, ...rest]
}

export interface CastResult {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs cast to its end. */
export function cast(url: string, ...args: readonly string[]): Promise<CastResult> {
  const options = { ...surroundings, timeout: 40_000 }
  return new Promise((resolve) => {
    execFile(findCast(), withUrl(args, url), options, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ status, stdout, stderr })
    })
  })
}

/** A cast that keeps printing until it is let go. */
export interface FollowedCast extends AsyncDisposable {
  readonly output: () => string
}

export function followCast(url: string, ...args: readonly string[]): FollowedCast {
  const child = spawn(findCast(), withUrl(args, url), { ...surroundings, stdio: ['ignore', 'pipe', 'ignore'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = new Promise((resolve) => child.once('close', resolve))
  return {
    output: () => output,
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}
