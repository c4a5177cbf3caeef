import { Socket } from 'node:net'

/** The writes of one head. */
export interface WrittenHead {
  readonly number: number
  /** Connections that it was written to, so far. */
  readonly count: number
  /** In ms since the epoch, after the system took the first and the last of these writes. */
  readonly firstAt: number
  readonly lastAt: number
}

/** Heads that are remembered. */
const mostHeads = 200
const mark = Buffer.from('"number":"0x')
/** A member that only a header has. */
const headerMark = Buffer.from('"parentHash"')

/** Writes down when heads were handed to the system, from now on. Returns a function that gives what is known. */
export function noteWrittenHeads(): () => readonly WrittenHead[] {
  const heads = new Map<number, { number: number; count: number; firstAt: number; lastAt: number }>()

  function note(bytes: unknown): void {
    if (!Buffer.isBuffer(bytes) || !bytes.includes(headerMark)) return
    const from = bytes.indexOf(mark) + mark.length
    const number = Number.parseInt(bytes.toString('latin1', from, bytes.indexOf(0x22, from)), 16)
    const head = heads.get(number) ?? { number, count: 0, firstAt: Date.now(), lastAt: 0 }
    head.count++
    head.lastAt = Date.now()
    heads.set(number, head)
    if (heads.size > mostHeads) heads.delete(heads.keys().next().value!)
  }

  // Both are called for connections that were accepted; those to nodes are written no heads.
  const { _write: write, _writev: writev } = Socket.prototype
  Object.assign(Socket.prototype, {
    _write(this: Socket, ...all: Parameters<typeof write>) {
      write.apply(this, all)
      note(all[0])
    },
    _writev(this: Socket, ...all: Parameters<NonNullable<typeof writev>>) {
      writev!.apply(this, all)
      for (const { chunk } of all[0]) note(chunk)
    },
  })
  return () => [...heads.values()]
}
