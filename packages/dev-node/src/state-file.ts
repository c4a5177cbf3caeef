import { constants, createReadStream } from 'node:fs'
import { lstat, open, rename, rm } from 'node:fs/promises'
import type { Clock } from '@wayleave/jsonrpc-core'
import { abortedStart, DevNodeError } from './error.ts'

/** The file that a chain's process writes its state to, beside the state file, which so never holds half a state. */
export function dumpPath(stateFile: string): string {
  return `${stateFile}.next`
}

/** The file that a running chain is saved to, before it becomes the state file. */
export function savingPath(stateFile: string): string {
  return `${stateFile}.saving`
}

/** The FIFO that stays open for reading while a process keeps its chain in the state file. */
export function lockPath(stateFile: string): string {
  return `${stateFile}.lock`
}

/** Makes the last dump the state file if it is complete, and drops it if its process was killed while writing. */
export async function adoptDump(stateFile: string): Promise<void> {
  const dump = dumpPath(stateFile)
  try {
    if (await isComplete(dump)) await rename(dump, stateFile)
    else await dropDump(stateFile)
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
  }
}

/** Removes the last dump. */
export async function dropDump(stateFile: string): Promise<void> {
  await rm(dumpPath(stateFile), { force: true })
}

/**
 * Waits until no process uses the state file: after its parent was killed, a process needs a moment to save its state.
 * @throws DevNodeError `state_in_use` after `waitMs`, `aborted` when the signal aborts.
 */
export async function waitForState(
  stateFile: string,
  waitMs: number,
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> {
  const deadline = clock.now() + waitMs
  while (await isHeld(lockPath(stateFile))) {
    if (signal?.aborted === true) throw abortedStart(signal)
    if (clock.now() >= deadline) {
      const message = `${stateFile} is in use by another process; end that one, or choose another data folder`
      throw new DevNodeError('state_in_use', message)
    }
    await new Promise<void>((resolve) => void clock.after(50, resolve))
  }
}

/** Whether anyone reads from the FIFO: only then does it open for writing without waiting. The system keeps count. */
async function isHeld(fifo: string): Promise<boolean> {
  try {
    if (!(await lstat(fifo)).isFIFO()) return false
    const handle = await open(fifo, constants.O_WRONLY | constants.O_NONBLOCK)
    await handle.close()
    return true
  } catch (error) {
    if (isCode(error, 'ENXIO') || isCode(error, 'ENOENT')) return false
    throw error
  }
}

const quote = 0x22
const backslash = 0x5c

/** Whether a file holds a whole JSON value and not just its beginning: every bracket is closed. */
async function isComplete(path: string): Promise<boolean> {
  let depth = 0
  let opened = false
  let inString = false
  let escaped = false
  for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
    for (const byte of chunk) {
      if (escaped) escaped = false
      else if (byte === quote) inString = !inString
      else if (inString) escaped = byte === backslash
      else if (byte === 0x7b || byte === 0x5b) {
        depth++
        opened = true
      } else if (byte === 0x7d || byte === 0x5d) depth--
    }
  }
  return opened && depth === 0
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
