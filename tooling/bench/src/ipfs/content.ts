import { randomFillSync } from 'node:crypto'
import { open } from 'node:fs/promises'

/** The size of a raw leaf. */
export const leafBytes: number = 1_048_576

/** Writes a file of random bytes, which cannot be compressed or shared. */
export async function writeContent(file: string, leaves: number): Promise<void> {
  const leaf = Buffer.allocUnsafe(leafBytes)
  const handle = await open(file, 'w')
  for (let i = 0; i < leaves; i++) {
    randomFillSync(leaf)
    await handle.write(leaf)
  }
  // Unfinished writes would count against the subject that is measured first.
  await handle.sync()
  await handle.close()
}

/** Reads a file in parts of that many bytes. */
export async function* readContent(file: string, partBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  const handle = await open(file)
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(partBytes), 0, partBytes)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}
