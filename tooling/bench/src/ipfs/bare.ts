import { hash } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { connect } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { leafBytes } from './content.ts'
import type { Jobs } from './worker.ts'

const { O_WRONLY, O_CREAT, O_EXCL, O_DSYNC } = constants

/**
 * Does the least that must be done: reads the file a leaf at a time into one buffer, hashes it, writes it aside, renames it.
 * `isDurable`: each leaf is on the disk before it is renamed, and the names are at the end, as in the local backend.
 */
export async function bareRole(
  folder: string,
  isDurable: boolean,
): Promise<Pick<{ [K in keyof Jobs]: (args: Jobs[K]) => Promise<string> }, 'add' | 'cat'>> {
  await mkdir(folder, { recursive: true })
  let names: string[] = []
  const flags = O_WRONLY | O_CREAT | O_EXCL | (isDurable ? O_DSYNC : 0)

  async function add({ file }: Jobs['add']): Promise<string> {
    names = []
    const leaf = Buffer.allocUnsafe(leafBytes)
    const source = await open(file)
    for (;;) {
      const { bytesRead } = await source.read(leaf, 0, leafBytes)
      if (bytesRead === 0) break
      const name = join(folder, hash('sha256', leaf.subarray(0, bytesRead), 'hex'))
      const target = await open(`${name}.part`, flags)
      await target.write(leaf, 0, bytesRead)
      await target.close()
      await rename(`${name}.part`, name)
      names.push(name)
    }
    await source.close()
    if (isDurable) {
      const directory = await open(folder)
      await directory.sync()
      await directory.close()
    }
    return ''
  }

  /** Reads, hashes, and writes to a socket if `from` is a port, else to nowhere. */
  async function cat({ from }: Jobs['cat']): Promise<string> {
    const socket = from === '' ? undefined : connect(Number(from), '127.0.0.1')
    let bytes = 0
    for (const name of names) {
      const leaf = await readFile(name)
      if (hash('sha256', leaf, 'hex') !== name.slice(-64)) throw new Error(`${name} is broken`)
      bytes += leaf.length
      if (socket?.write(leaf) === false) await once(socket, 'drain')
    }
    if (socket !== undefined) {
      socket.end()
      await once(socket.resume(), 'close')
    }
    return String(bytes)
  }

  return { add, cat }
}
