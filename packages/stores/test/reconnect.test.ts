import { mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type * as Sqlite from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'
import { openStores } from '@wayleave/stores'
import { expect, it, onTestFinished, vi } from 'vitest'
import { filesIn } from './files-in.ts'

/** Runs before the next connection that can write is opened, and may throw in its place. */
const faults = vi.hoisted((): { next: (() => void) | undefined } => ({ next: undefined }))

vi.mock('node:sqlite', async (original) => {
  const sqlite = await original<typeof Sqlite>()
  return {
    ...sqlite,
    DatabaseSync: class extends sqlite.DatabaseSync {
      constructor(path: string, options: Sqlite.DatabaseSyncOptions = {}) {
        const { next } = faults
        if (options.readOnly !== true && next !== undefined) {
          faults.next = undefined
          next()
        }
        super(path, options)
      }
    },
  }
})

function failToOpen(): void {
  throw new Error('disk I/O error')
}

const pin = (cid: string) => ({ cid, type: 'recursive' as const, name: undefined, bytes: 1n })

/** An open file with one pin, and its folder. */
async function openWithPin() {
  const folder = mkdtempSync(join(tmpdir(), 'wayleave-reconnect-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const sqlite = join(folder, 'stores.db')
  const stores = await openStores({ sqlite })
  onTestFinished(() => stores.close())
  await stores.pins.put('p', pin('before'))
  const cids = async () => (await stores.pins.list('p', { limit: 10 })).map(({ cid }) => cid)
  return { folder, sqlite, stores, cids }
}

it.each(['', '-wal'])(
  'a file put back because %j was gone, which did not open, is opened by the next probe',
  async (suffix) => {
    const { folder, sqlite, stores, cids } = await openWithPin()
    unlinkSync(sqlite + suffix)
    await expect(stores.probe()).rejects.toMatchObject({ code: 'unavailable' })
    faults.next = failToOpen
    await expect(stores.probe()).rejects.toMatchObject({
      code: 'unavailable',
      fault: 'failed',
      message: expect.stringContaining('it was put back, and does not open yet') as string,
    })
    await stores.probe()
    await stores.pins.put('p', pin('later'))
    expect(await cids()).toEqual(['before', 'later'])
    await stores.close()
    expect(filesIn(folder)).toEqual(['stores.db'])
    await using again = await openStores({ sqlite })
    expect(await again.pins.list('p', { limit: 10 })).toHaveLength(2)
  },
)

it.each([true, false])('another file in the place of the one put back is left alone; it opens: %s', async (opens) => {
  const { sqlite, stores, folder, cids } = await openWithPin()
  const stranger = join(folder, 'stranger')
  const others = new DatabaseSync(stranger)
  others.exec('create table theirs (a)')
  others.close()
  unlinkSync(sqlite)
  await expect(stores.probe()).rejects.toMatchObject({ fault: 'deleted' })
  faults.next = () => {
    renameSync(stranger, sqlite)
    if (!opens) failToOpen()
  }
  for (let i = 0; i < 3; i++) await expect(stores.probe()).rejects.toMatchObject({ fault: 'replaced' })
  const reader = new DatabaseSync(sqlite, { readOnly: true })
  expect(reader.prepare('select name from sqlite_schema').all()).toEqual([{ name: 'theirs' }])
  reader.close()
  unlinkSync(sqlite)
  await stores.probe()
  expect(await cids()).toEqual(['before'])
})

it('an empty file is not taken for the one put back, which vanished before it was opened', async () => {
  const { sqlite, stores, cids } = await openWithPin()
  unlinkSync(sqlite)
  await expect(stores.probe()).rejects.toMatchObject({ fault: 'deleted' })
  faults.next = () => {
    unlinkSync(sqlite)
    failToOpen()
  }
  await expect(stores.probe()).rejects.toMatchObject({ fault: 'deleted' })
  writeFileSync(sqlite, '')
  await expect(stores.probe()).rejects.toMatchObject({ fault: 'replaced' })
  await expect(stores.probe()).rejects.toMatchObject({ fault: 'replaced' })
  unlinkSync(sqlite)
  await stores.probe()
  expect(await cids()).toEqual(['before'])
})
