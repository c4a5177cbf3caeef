import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** The longest that an act may take, in ms. */
const longestMs = 90_000

/** A program of an act, with what it and all that it has started wrote. */
export interface Going {
  readonly child: ChildProcess
  readonly written: () => string
}

/** Starts a command by bash, in a group of processes of its own. */
export function startCommand(command: string, cwd: string, env: Readonly<Record<string, string>>): Going {
  const child = spawn('bash', ['-c', `exec 2>&1; ${command}`], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  let written = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written += text))
  return { child, written: () => written }
}

/** Waits until a program was silent for as long as `patienceMs` has it. */
export async function untilSilent({ child, written }: Going, patienceMs: () => number): Promise<void> {
  const until = performance.now() + longestMs
  let seen = -1
  let since = performance.now()
  while (performance.now() < until && child.exitCode === null) {
    if (written().length !== seen) {
      seen = written().length
      since = performance.now()
    }
    if (performance.now() - since > patienceMs()) return
    await sleep(50)
  }
}

/** Waits for the end of a program, after a signal to its group if there is one. Gives its exit code. */
export async function untilEnd({ child }: Going, signal?: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const closed = once(child, 'close') as Promise<[number | null]>
  if (signal !== undefined) process.kill(-child.pid!, signal)
  const late = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), longestMs)
  const [code] = await closed
  clearTimeout(late)
  return code
}

/** The lines of an output as a transcript shows them: without spaces at their ends, and the exit code last. */
export function linesOf(text: string, code: number | null = 0): readonly string[] {
  const lines = text.replace(/\n$/, '').split('\n')
  const shown = (text === '' ? [] : lines).map((line) => line.trimEnd())
  return code === 0 ? shown : [...shown, `exit code ${code ?? 'none'}`]
}
