import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { askNode } from './ask-node.ts'

export interface NodeOptions {
  /** Its name in the configuration of the gateway. */
  readonly name: string
  readonly url: string
  readonly ws: string
  readonly command: string
  readonly args: readonly string[]
  /** The file to which its output is appended. */
  readonly logFile: string
}

const startWithinMs = 60_000

/** A node in a process of its own, always at the same addresses. */
export class NodeProcess implements AsyncDisposable {
  readonly #options: NodeOptions
  #process: ChildProcess | undefined

  constructor(options: NodeOptions) {
    this.#options = options
  }

  get name(): string {
    return this.#options.name
  }

  get url(): string {
    return this.#options.url
  }

  get ws(): string {
    return this.#options.ws
  }

  /** The id of its process; undefined while it is down. */
  get pid(): number | undefined {
    return this.#process?.pid
  }

  /** Starts it, and waits until it answers. */
  async start(): Promise<void> {
    const { name, command, args, logFile, url } = this.#options
    const log = createWriteStream(logFile, { flags: 'a' })
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    this.#process = child
    // However this process ends, as long as it is not killed itself.
    const end = (): void => void child.kill('SIGKILL')
    process.once('exit', end)
    child.once('exit', (code, signal) => {
      process.off('exit', end)
      log.write(`${name} ended: ${signal ?? code}\n`)
    })
    child.stdin.on('error', () => {})
    child.stdout.pipe(log, { end: false })
    child.stderr.pipe(log, { end: false })
    child.once('close', () => log.end())
    child.once('error', (error) => log.write(`${error.message}\n`))
    const until = performance.now() + startWithinMs
    for (;;) {
      try {
        await askNode(url, 'eth_chainId')
        return
      } catch (cause) {
        const hasEnded = child.exitCode !== null || child.signalCode !== null || child.pid === undefined
        if (hasEnded) throw new Error(`${name} ended at its start; see ${logFile}`, { cause })
        if (performance.now() > until) throw new Error(`${name} does not answer; see ${logFile}`, { cause })
      }
      await sleep(50)
    }
  }

  /** Ends it at once, as a loss of power would. */
  async kill(): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  /** Stops it amid its work: connections stay, nothing is answered. */
  pause(): void {
    this.#process?.kill('SIGSTOP')
  }

  resume(): void {
    this.#process?.kill('SIGCONT')
  }

  /** Its head; undefined where it does not answer. */
  async head(): Promise<number | undefined> {
    try {
      return Number(await askNode<string>(this.url, 'eth_blockNumber'))
    } catch {
      return undefined
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill()
  }
}
