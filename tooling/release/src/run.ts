import { execFile } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { root } from './published.ts'

export interface RunOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** In ms. Default: five minutes. */
  readonly timeoutMs?: number
  /** Default: the program may print 64 MiB. */
  readonly maxBuffer?: number
}

/** The environment of this process, with the programs of this repository first, and without what a script of npm adds for its own package. */
function plainEnv(): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?:package|lifecycle|command|execpath|node)/.test(name),
  )
  return { ...Object.fromEntries(own), PATH: join(root, 'node_modules/.bin') + delimiter + process.env['PATH'] }
}

/** Runs a program to its end. Resolves with its stdout; rejects with all that it printed. */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<string> {
  const { cwd, env = {}, timeoutMs = 300_000, maxBuffer = 67_108_864 } = options
  return new Promise((resolve, reject) => {
    const settings = { cwd, env: { ...plainEnv(), ...env }, timeout: timeoutMs, maxBuffer }
    execFile(command, [...args], settings, (failed, stdout, stderr) => {
      if (failed === null) return resolve(stdout)
      reject(
        new Error(
          `${[command, ...args].join(' ').slice(0, 200)}: ${failed.code ?? failed.signal}\n${stdout}${stderr}`.trimEnd(),
        ),
      )
    })
  })
}
