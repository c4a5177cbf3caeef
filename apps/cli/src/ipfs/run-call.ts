import { IpfsError } from '@wayleave/ipfs-http'
import { type CommandIo, UsageError } from '../command.ts'
import { visible } from '../output/visible.ts'
import { jsonLine } from './json-line.ts'

/** The calling subcommand, and how its errors are printed. */
export interface CallSetting {
  /** The subcommand, such as `add`. */
  readonly name: string
  readonly io: CommandIo
  readonly json: boolean
  /** Whether stdout holds content, so that errors in JSON go to stderr. */
  readonly writesContent?: boolean
}

/**
 * Runs a call until it ends, or until Ctrl-C, SIGTERM, a closing terminal or a leaving reader of stdout stops it. Reports a
 * failure and resolves with the exit code. Rejects with a UsageError, or for a bug.
 */
export async function runCall(
  { name, io, json, writesContent = false }: CallSetting,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<number> {
  const stop = new AbortController()
  let code = 0
  const onSignal = (signal: NodeJS.Signals): void => {
    code = codes[signal]!
    stop.abort()
  }
  const onGone = (): void => stop.abort()
  for (const signal of signals) io.process.once(signal, onSignal)
  io.process.stdout.once('error', onGone)
  try {
    await run(stop.signal)
    return code
  } catch (thrown) {
    if (stop.signal.aborted) return code
    const failure = failureOf(thrown)
    if (failure === undefined) throw thrown
    if (json) (writesContent ? io.stderr : io.stdout)(jsonLine({ error: failure }))
    else io.stderr(`wayleave ipfs ${name}: ${visible(failure.message).replaceAll('\n', ' ')}\n`)
    return 1
  } finally {
    for (const signal of signals) io.process.off(signal, onSignal)
    io.process.stdout.off('error', onGone)
  }
}

/** The exit codes by which shells tell that a signal ended a process. */
const codes: Partial<Record<NodeJS.Signals, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }
const signals = Object.keys(codes) as NodeJS.Signals[]

interface Failure {
  readonly code: string
  readonly message: string
}

/** Describes a failure with a hint in one line; undefined for a bug. */
function failureOf(thrown: unknown): Failure | undefined {
  if (thrown instanceof IpfsError) {
    // The error's own message names calls of the library.
    if (thrown.code === 'is_directory') return { code: thrown.code, message: directoryHint }
    const hint = hintOf(thrown)
    const said = thrown.message.replaceAll(/\b(?:maxParts|maxRequestBytes)\b/g, (option) => flagOf[option]!)
    return { code: thrown.code, message: `${said}${hint === undefined ? '' : `; ${hint}`}` }
  }
  if (thrown instanceof UsageError || !(thrown instanceof Error)) return undefined
  const { code, path, syscall } = thrown as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return undefined
  return { code, message: path === undefined ? thrown.message : `${path}: ${words[code] ?? syscall} (${code})` }
}

const words: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'not allowed',
  EPERM: 'not allowed',
  EEXIST: 'exists already',
  ENOTDIR: 'a part of it is no directory',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk cannot be written',
  ENAMETOOLONG: 'the name is too long',
}

/** The flags for options of the library that its messages name. */
const flagOf: Readonly<Record<string, string>> = {
  maxParts: '--max-parts',
  maxRequestBytes: '--max-request-bytes',
}

const directoryHint = 'it is a directory: `wayleave ipfs get` writes it to disk'

function hintOf({ code, status, message }: IpfsError): string | undefined {
  // Kubo's words, in which a host answers, too.
  if (/\binvalid path "/.test(message)) return 'a CID begins with Qm or b, as wayleave ipfs add prints it'
  if (status === 401) return 'they are --api-key, and $WAYLEAVE_API_KEY_SECRET or --api-key-secret'
  return hints[code]
}

const hints: Partial<Record<IpfsError['code'], string>> = {
  connect: 'is `wayleave dev` running, and --ipfs-url right?',
  timeout: '--timeout SECONDS allows more',
  unverified: '--verify consistent takes it all the same',
  mismatch: 'do not trust this host',
}
