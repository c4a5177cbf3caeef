import type { statfs } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createHeadroom } from '../../src/local/headroom.ts'

const mib = 1_048_576

/** A disk of 4,096-byte blocks; `state.looks` counts who asks for its space. */
function disk(sizeBytes: number, freeBytes: number) {
  const state = { freeBytes, looks: 0 }
  const read = (async () => {
    state.looks++
    return { blocks: sizeBytes / 4_096, bavail: state.freeBytes / 4_096, bsize: 4_096 }
  }) as unknown as typeof statfs
  return { state, headroom: createHeadroom('', read) }
}

it('leaves 64 MiB of a large disk free, and a sixteenth of a small one', async () => {
  for (const [size, kept] of [
    [100_000 * mib, 64 * mib],
    [48 * mib, 3 * mib],
  ] as const) {
    const { state, headroom } = disk(size, kept + 2 * mib)
    expect(await headroom.look()).toMatchObject({ freeBytes: kept + 2 * mib, isFull: false })
    await headroom.take(mib)
    await expect(headroom.take(2 * mib)).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringMatching(/the disk is full/),
    })
    state.freeBytes = kept
    expect(await headroom.look()).toMatchObject({ isFull: true })
  }
})

it('looks at the disk once for 4 MiB, and at every block of a full one', async () => {
  const { state, headroom } = disk(100_000 * mib, 50_000 * mib)
  for (let i = 0; i < 1_024; i++) await headroom.take(4_096)
  expect(state.looks).toBe(1)
  state.freeBytes = 0
  for (let i = 0; i < 3; i++) await headroom.take(8 * mib).catch(() => {})
  expect(state.looks).toBe(4)
})

it('takes anything where a file system tells no size', async () => {
  const { headroom } = disk(0, 0)
  await headroom.take(1_000 * mib)
  expect(await headroom.look()).toMatchObject({ isFull: false })
})
