import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openStores, StoresError } from '@wayleave/stores'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordOf } from './records.ts'
import { filesIn } from './files-in.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wayleave-sqlite-'))
})
afterAll(() => rm(folder, { recursive: true }))

it('names a file that is no database, and leaves it as it is', async () => {
  const sqlite = join(folder, 'letter.db')
  writeFileSync(sqlite, 'Dear reader, this is a letter and no database. '.repeat(100))
  const before = readFileSync(sqlite)
  await expect(openStores({ sqlite })).rejects.toMatchObject({
    code: 'corrupt',
    message: expect.stringContaining(sqlite) as string,
  })
  expect(readFileSync(sqlite).equals(before)).toBe(true)
})

it('names a file that was damaged', async () => {
  const sqlite = join(folder, 'damaged.db')
  {
    await using stores = await openStores({ sqlite })
    await stores.fees.save('net', recordOf(1, 500))
  }
  const bytes = readFileSync(sqlite)
  bytes.fill(0xff, 4_096 * 3, bytes.length - 4_096)
  writeFileSync(sqlite, bytes)
  await expect(openStores({ sqlite })).rejects.toMatchObject({
    code: 'corrupt',
    message: expect.stringContaining(sqlite) as string,
  })
})

it('says that a file cannot be opened', async () => {
  const sqlite = join(folder, 'missing', 'stores.db')
  const thrown: unknown = await openStores({ sqlite }).catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(StoresError)
  expect(thrown).toMatchObject({ code: 'unavailable', message: expect.stringContaining(sqlite) as string })
})

it('leaves one file behind when it is closed', async () => {
  const sub = mkdtempSync(join(folder, 'closed-'))
  const stores = await openStores({ sqlite: join(sub, 'stores.db') })
  await stores.fees.save('net', recordOf(1, 10))
  await stores.close()
  expect(filesIn(sub)).toEqual(['stores.db'])
})

it('reads while another connection writes, and waits for its turn to write', async () => {
  const sqlite = join(folder, 'busy.db')
  await using stores = await openStores({ sqlite })
  await using reader = await openStores({ sqlite })
  await stores.fees.save('net', recordOf(1, 10))
  const other = new DatabaseSync(sqlite)
  other.exec('begin immediate')
  let saved = false
  const saving = stores.fees.save('net', recordOf(2, 10)).then(() => (saved = true))
  expect(await reader.fees.load('net')).toEqual(recordOf(1, 10))
  expect(saved).toBe(false)
  other.exec('commit')
  other.close()
  await saving
  expect(await stores.fees.load('net')).toEqual(recordOf(2, 10))
})
