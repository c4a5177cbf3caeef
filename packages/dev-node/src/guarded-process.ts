import { type ChildProcess, spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'

export interface GuardedOptions {
  readonly command: string
  readonly args: readonly string[]
  /** Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** How long the process may take to end after SIGTERM, in ms, before SIGKILL. */
  readonly graceMs: number
  /** Path of a FIFO that the process and its guard hold open while they live. */
  readonly lock?: string | undefined
  /** A folder that is removed when the process has ended. */
  readonly scratch: string
  /** Called once, with the id of the process. */
  onPid(pid: number): void
  /** Called with every line that the process prints. */
  onOutput(line: string): void
  /** Called with every line of its standard error. */
  onError(line: string): void
}

/** A process that ends when it is told to, and when this process ends in any way. */
export interface GuardedProcess {
  /** Resolves when the process, its guard and the guard's watcher are gone: the exit status, 128 + n after signal n. */
  readonly exited: Promise<number>
  /** Sends SIGTERM, or the signal of {@link endBy}, and SIGKILL after the grace. */
  stop(): void
  /** Sets the signal that ends the process. No effect on Windows, where every signal ends it at once. */
  endBy(signal: 'INT' | 'TERM'): void
}

/**
 * Runs a command under a guard: a shell that reads from a pipe held by this process. However this process ends, the
 * system closes the pipe, and the guard ends the command. The guard leads a process group of its own, so a Ctrl-C in the
 * terminal reaches only this process. On Windows the command is a plain child, which a crash can leave behind.
 */
export function spawnGuarded(options: GuardedOptions): GuardedProcess {
  return process.platform === 'win32' ? spawnPlain(options) : spawnUnderShell(options)
}

// Runs as: sh -c <script> <name> <lock or ''> <scratch> <tenths of a second of grace> <command> <args...>
const guard = `
lock=$1 scratch=$2 grace=$3
shift 3
# A background job reads /dev/null, so the pipe moves to 3.
exec 3<&0 </dev/null
if [ -n "$lock" ]; then
  rm -f "$lock"
  mkfifo -m 600 "$lock" && exec 4<>"$lock"
fi
"$@" 3<&- &
child=$!
echo "guard: pid $child"
# The watcher and its sleep hold the output open: that it closes says that they are gone, too.
(
  signal=TERM
  while read -r line; do signal=$line; done
  kill -"$signal" "$child"
  while [ "$grace" -gt 0 ] && kill -0 "$child"; do
    sleep 0.1
    grace=$((grace - 1))
  done
  kill -KILL "$child"
) <&3 2>/dev/null 3<&- 4>&- &
watcher=$!
# Some shells remark on the jobs that they see killed.
exec 3<&- 2>/dev/null
# Only the pipe ends the guard: it must live to collect its child.
trap '' HUP INT TERM
wait "$child"
status=$?
kill -KILL "$watcher"
rm -rf "$scratch"
[ -z "$lock" ] || rm -f "$lock"
exit "$status"
`

function spawnUnderShell(options: GuardedOptions): GuardedProcess {
  const { command, args, env, graceMs, scratch, lock = '' } = options
  const name = `${basename(command)}-guard`
  const guardArgs = ['-c', guard, name, lock, scratch, String(Math.ceil(graceMs / 100)), command, ...args]
  const shell = spawn('/bin/sh', guardArgs, { stdio: 'pipe', detached: true, env: env ?? process.env })
  // The guard may be gone before its pipe.
  shell.stdin.on('error', () => {})
  const stop = (): void => void shell.stdin.destroy()
  // However the guard ended, its watcher ends the rest.
  shell.once('exit', stop)
  return {
    exited: follow(shell, {
      ...options,
      onOutput(line) {
        const pid = /^guard: pid (\d+)$/.exec(line)?.[1]
        if (pid === undefined) options.onOutput(line)
        else options.onPid(Number(pid))
      },
    }),
    stop,
    endBy: (signal) => void shell.stdin.write(`${signal}\n`),
  }
}

function spawnPlain(options: GuardedOptions): GuardedProcess {
  const { command, args, env = process.env } = options
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true, env })
  if (child.pid !== undefined) options.onPid(child.pid)
  const exited = follow(child, options).then(async (status) => {
    await rm(options.scratch, { recursive: true, force: true })
    return status
  })
  return { exited, stop: () => void child.kill(), endBy: () => {} }
}

function follow(child: ChildProcess, { onOutput, onError }: GuardedOptions): Promise<number> {
  createInterface({ input: child.stdout! }).on('line', onOutput)
  createInterface({ input: child.stderr! }).on('line', onError)
  return new Promise((resolve) => {
    child.once('error', (error) => {
      onError(error.message)
      resolve(127)
    })
    // Not 'exit': 'close' comes when nobody holds the output any more, so when all processes have ended.
    child.once('close', (status) => resolve(status ?? 137))
  })
}
