import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLineWriter, type LineWriter } from '../src/line-writer.ts'

/** No dependency: the program, which every Unix has. */
const mkfifo = 'mkfifo'

interface Scene {
  readonly clock: FakeClock
  readonly writer: LineWriter
  readonly lost: number[]
  /** Everything that the pipe holds now. */
  read(): string
  /** Ends the reader's side. */
  leave(): void
}

/** A writer to a real pipe, whose reader reads only when it is told to. */
function scene(maxBytes: number): Scene {
  const folder = mkdtempSync(join(tmpdir(), 'line-writer-'))
  const path = join(folder, 'pipe')
  execFileSync(mkfifo, [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  let isThere = true
  const leave = (): void => {
    if (isThere) closeSync(reader)
    isThere = false
  }
  const clock = new FakeClock()
  const lost: number[] = []
  const writer = createLineWriter({
    open() {
      const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
      return { fd, close: () => closeSync(fd) }
    },
    clock,
    background: clock,
    onRecovered: (lines) => lost.push(lines),
    maxBytes,
  })
  onTestFinished(async () => {
    const closed = writer.close()
    clock.advance(1_000)
    await closed
    leave()
    rmSync(folder, { recursive: true })
  })
  return {
    clock,
    writer,
    lost,
    read() {
      const buffer = Buffer.alloc(1024 * 1024)
      let length = 0
      for (;;) {
        try {
          const more = readSync(reader, buffer, length, buffer.length - length, null)
          if (more === 0) break
          length += more
        } catch {
          break
        }
      }
      return buffer.toString('utf8', 0, length)
    },
    leave,
  }
}

/** A line that is never like another. */
const line = (i: number): string => `${i} ${'é'.repeat(100)}\n`

describe.skipIf(process.platform === 'win32')('a writer of lines', () => {
  it('writes a line at once', () => {
    const { writer, read, clock } = scene(1_000)
    writer.write('a\n')
    expect([read(), clock.timers]).toEqual(['a\n', 0])
  })

  it('keeps what a reader who is behind has no room for, whole and in order', () => {
    const { writer, read, clock, lost } = scene(1_000_000)
    const lines = Array.from({ length: 1_000 }, (_, i) => line(i))
    for (const each of lines) writer.write(each)
    expect(clock.timers).toBe(1)
    let text = ''
    for (let i = 0; i < 100 && clock.timers > 0; i++) {
      text += read()
      clock.advance(20)
    }
    expect(text + read()).toBe(lines.join(''))
    expect([writer.droppedLines(), lost]).toEqual([0, []])
  })

  it('keeps no more than its bound, counts what is lost, and tells it once the reader is back', () => {
    const { writer, read, clock, lost } = scene(10_000)
    let written = 0
    while (writer.droppedLines() < 5) writer.write(line(written++))
    let text = ''
    for (let i = 0; i < 100 && clock.timers > 0; i++) {
      text += read()
      clock.advance(20)
    }
    text += read()
    const expected = Array.from({ length: written - 5 }, (_, i) => line(i))
    // A line that still fits may come after one that did not.
    expect(text.startsWith(expected.slice(0, -1).join(''))).toBe(true)
    expect(text.match(/\n/g)).toHaveLength(written - 5)
    expect(lost).toEqual([5])
    writer.write('again\n')
    expect([read(), lost]).toEqual(['again\n', [5]])
  })

  it('costs nothing but its lines when the reader has left', () => {
    const { writer, clock, leave } = scene(100)
    writer.write('a\n')
    leave()
    for (let i = 0; i < 100; i++) writer.write('0123456789\n')
    expect([writer.droppedLines(), clock.timers]).toEqual([91, 1])
  })

  it('closes at once where nothing is kept, or nobody will read it', async () => {
    const idle = scene(100)
    idle.writer.write('a\n')
    await idle.writer.close()
    idle.writer.write('late\n')
    expect([idle.read(), idle.writer.droppedLines()]).toEqual(['a\n', 1])
    const left = scene(100)
    left.writer.write('a\n')
    left.leave()
    left.writer.write('b\n')
    await left.writer.close()
    expect([left.writer.droppedLines(), left.clock.timers]).toEqual([1, 0])
  })

  it('waits a second at its end for a reader who is behind', async () => {
    const { writer, read, clock } = scene(1_000_000)
    for (let i = 0; i < 500; i++) writer.write(line(i))
    const closed = writer.close()
    let text = read()
    clock.advance(20)
    await closed
    text += read()
    expect(text.match(/\n/g)).toHaveLength(500)
    expect(clock.timers).toBe(0)
  })

  it('waits no longer than that for one who does not come', async () => {
    const { writer, clock } = scene(1_000_000)
    for (let i = 0; i < 500; i++) writer.write(line(i))
    const closed = writer.close()
    clock.advance(1_000)
    await closed
    expect(writer.droppedLines()).toBeGreaterThan(0)
    expect(clock.timers).toBe(0)
  })
})
