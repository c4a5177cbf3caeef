import { rawJsonFromText } from '@wayleave/jsonrpc-core'
import type { Compression, KeptAnswer, SharedCache } from '@wayleave/rpc-cache'
import { createZstd } from '@wayleave/rpc-cache/node'
import { describe, expect, it } from 'vitest'
import { createScene } from './scene.ts'

const long = JSON.stringify(Array.from({ length: 4_000 }, (_, i) => `0x${i.toString(16).padStart(24, '0')}`))
const node = async () => ({ result: rawJsonFromText(long) })

/** Waits for what runs on threads. */
async function until(isThere: () => boolean): Promise<void> {
  await expect.poll(isThere).toBe(true)
}

/** Stands for a codec: keeps the bytes aside, and gives a short name for them. */
function createCloakroom() {
  const kept: Uint8Array[] = []
  const compression: Compression = {
    compress: async (bytes) => new Uint8Array([kept.push(bytes) - 1]),
    decompress: async ([name]) => kept[name!]!,
  }
  return { compression, kept }
}

describe('compression', () => {
  const zstd = createZstd()

  it.runIf(zstd !== undefined)('by zstd keeps a long answer in less, and gives it back byte for byte', async () => {
    const { lives, call, store } = createScene({ node, compression: zstd })
    lives.set('logs', { of: 'params' })
    await call('logs')
    await until(() => store.bytes < long.length / 2)
    expect(await call('logs')).toEqual([long, 'hit'])
  })

  it.runIf(zstd !== undefined)('by zstd gives no more bytes than it was told', async () => {
    const packed = await zstd!.compress(new Uint8Array(1_000_000))
    await expect(zstd!.decompress(packed, 1_000)).rejects.toThrow(/larger than 1000 bytes/)
  })

  it('of an answer that a reorg dropped meanwhile brings nothing back', async () => {
    const { compression } = createCloakroom()
    const { lives, call, store, chain } = createScene({ node, compression })
    lives.set('logs', { of: 'numbers', to: 95 })
    await call('logs')
    chain.reorg(94)
    await new Promise((resolve) => void setImmediate(resolve))
    expect(store.entries).toBe(0)
  })

  it('that cannot be undone costs no call', async () => {
    const { compression, kept } = createCloakroom()
    const { lives, call, store } = createScene({ node, compression })
    const empty = store.bytes
    lives.set('logs', { of: 'params' })
    await call('logs')
    await until(() => store.bytes < empty + 1_000)
    kept[0] = new Uint8Array(3)
    expect(await call('logs')).toEqual([long, 'miss'])
    await until(() => store.bytes < empty + 1_000)
    expect(await call('logs')).toEqual([long, 'hit'])
  })

  it('leaves an answer as it is where it fails or gains little', async () => {
    for (const compress of [
      async () => {
        throw new Error('broken')
      },
      async (bytes: Uint8Array) => bytes,
    ]) {
      const reported: KeptAnswer[] = []
      const shared: SharedCache = { get: () => undefined, set: (_, kept) => void reported.push(kept) }
      const compression: Compression = { compress, decompress: async (bytes) => bytes }
      const { lives, call } = createScene({ node, compression, shared })
      lives.set('logs', { of: 'params' })
      await call('logs')
      await until(() => reported.length === 1)
      expect(reported[0]!.encoding).toBeUndefined()
      expect(await call('logs')).toEqual([long, 'hit'])
    }
  })
})
