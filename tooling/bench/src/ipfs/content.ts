import { randomFillSync } from 'node:crypto'
import { open } from 'node:fs/promises'

/** Of a raw leaf. */
export const leafBytes: number = 1_048_576

/** Writes a file of bytes that nobody can compress or share. */
export async function writeContent(file: string, leaves: number): Promise<void> {
  const leaf = Buffer.allocUnsafe(leafBytes)
  const handle = await open(file, 'w')
  for (let i = 0; i < leaves; i++) {
    randomFillSync(leaf)
    await handle.write(leaf)
  }
  // What is left to the disk to do would fall to whoever is measured first.
  await handle.sync()
  await handle.close()
}

/** A file, so many bytes at a time. */
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
