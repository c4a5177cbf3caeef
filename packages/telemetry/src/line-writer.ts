import { writeSync } from 'node:fs'
import type { Clock } from '@wayleave/jsonrpc-core'

/** A file descriptor that lines are written to. */
export interface LineSink {
  /** A write to it fails with `EAGAIN` where it would wait for a reader. */
  readonly fd: number
  close(): void
}

export interface LineWriterOptions {
  /** Called before the first line. */
  readonly open: () => LineSink
  readonly clock: Clock
  /** Times the next try. Its timers need not keep the process alive. */
  readonly background: Clock
  /** Called with the number of lines that were lost, once all lines kept meanwhile are written. */
  readonly onRecovered: (lost: number) => void
  /** Most bytes kept for a reader who is behind. Default 1 MiB. */
  readonly maxBytes?: number
}

/** Writes lines to a descriptor without waiting for its reader. */
export interface LineWriter {
  /** Writes a line, with its line feed, at once; where that cannot be, keeps it. Loses it beyond the bound. Never throws. */
  write(line: string): void
  /** Lines lost so far. */
  droppedLines(): number
  /** Waits up to a second for a reader who is behind, then closes. What is unwritten by then, or comes later, counts as lost. */
  close(): Promise<void>
}

/** Bytes that a pipe takes whole or not at all (POSIX `PIPE_BUF`), so lines of several processes do not mix. */
const wholeBytes = 4_096
/** How soon a reader who is behind is tried again, in ms. */
const behindMs = 20
/** How soon a full disk, or a reader who left, is tried again, in ms. */
const brokenMs = 1_000
/** How long the end waits for a reader who is behind, in ms. */
const closeWithinMs = 1_000

/** Lines that are written together. */
interface Chunk {
  bytes: Buffer
  lines: number
}

/**
 * Creates a {@link LineWriter}. Writes are synchronous, to a descriptor that never waits: a line is out before the next one begins,
 * so a process that ends loses none, and no thread of libuv's pool is held, which would delay others and the end of the process.
 */
export function createLineWriter(options: LineWriterOptions): LineWriter {
  const { open, clock, background, onRecovered, maxBytes = 1024 * 1024 } = options
  const queue: Chunk[] = []
  let sink: LineSink | undefined
  let held = 0
  let dropped = 0
  /** Dropped lines not reported yet. */
  let unreported = 0
  /** The error that stopped the last write, and the timer of the next. */
  let waiting: { readonly code: string | undefined; readonly stop: () => void } | undefined
  let isClosed = false
  let onSettled = (): void => {}

  function drop(lines: number): void {
    dropped += lines
    unreported += lines
  }

  function keep(line: string): void {
    const bytes = Buffer.from(line)
    if (isClosed || held + bytes.length > maxBytes) return drop(1)
    held += bytes.length
    const last = queue.at(-1)
    // The first chunk may have been written in part.
    if (last === undefined || queue.length === 1 || last.bytes.length + bytes.length > wholeBytes) {
      queue.push({ bytes, lines: 1 })
    } else {
      last.bytes = Buffer.concat([last.bytes, bytes])
      last.lines++
    }
  }

  function drain(): void {
    waiting = undefined
    try {
      sink ??= open()
      for (;;) {
        const first = queue[0]
        if (first === undefined) break
        const written = writeSync(sink.fd, first.bytes)
        held -= written
        if (written === first.bytes.length) queue.shift()
        else first.bytes = first.bytes.subarray(written)
      }
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException
      waiting = { code, stop: background.after(code === 'EAGAIN' ? behindMs : brokenMs, drain) }
      if (code !== 'EAGAIN') onSettled()
      return
    }
    const lost = unreported
    unreported = 0
    if (lost > 0) onRecovered(lost)
    if (waiting === undefined) onSettled()
  }

  return {
    write(line) {
      keep(line)
      if (waiting === undefined && queue.length > 0) drain()
    },
    droppedLines: () => dropped,
    async close() {
      if (isClosed) return
      if (waiting?.code === 'EAGAIN') {
        await new Promise<void>((resolve) => {
          const stop = clock.after(closeWithinMs, resolve)
          onSettled = () => {
            stop()
            resolve()
          }
        })
      }
      isClosed = true
      waiting?.stop()
      for (const { lines } of queue.splice(0)) drop(lines)
      held = 0
      sink?.close()
    },
  }
}
