import { mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copySqlite, dropLostPins, isSqliteInUse, openStores } from '@wayleave/stores'
import { expect, it, onTestFinished } from 'vitest'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'wayleave-copy-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

const pin = { type: 'recursive', name: undefined, bytes: 5n } as const

it('copies what is committed, for its owner alone, and tells who has a file open', async () => {
  const dir = folder()
  const [from, to] = [join(dir, 'a.db'), join(dir, 'b.db')]
  const stores = await openStores({ sqlite: from })
  await stores.pins.put('p', { ...pin, cid: 'QmA' })
  const writer = new DatabaseSync(from)
  writer.exec(`begin immediate; insert into pins values ('p', 'QmOpen', 'recursive', null, 1)`)
  await copySqlite(from, to)
  writer.exec('rollback')
  writer.close()
  expect(statSync(to).mode & 0o777).toBe(0o600)
  expect([await isSqliteInUse(from), await isSqliteInUse(to)]).toEqual([true, false])
  {
    await using copied = await openStores({ sqlite: to })
    expect((await copied.pins.list('p', { limit: 10 })).map(({ cid }) => cid)).toEqual(['QmA'])
  }
  await stores.close()
  expect(await isSqliteInUse(from)).toBe(false)
})

it('takes out the pins that were removed since, with their bytes', async () => {
  const dir = folder()
  const [from, to] = [join(dir, 'a.db'), join(dir, 'b.db')]
  await using stores = await openStores({ sqlite: from })
  for (const cid of ['QmA', 'QmB', 'QmC']) await stores.pins.put('p', { ...pin, cid })
  await copySqlite(from, to)
  await stores.pins.remove('p', 'QmB')
  await stores.pins.put('p', { ...pin, cid: 'QmD' })
  expect(await dropLostPins(to, from)).toBe(1)
  await using copied = await openStores({ sqlite: to })
  expect((await copied.pins.list('p', { limit: 10 })).map(({ cid }) => cid)).toEqual(['QmA', 'QmC'])
  expect((await copied.pins.usage('p', '2026-11')).storedBytes).toBe(10n)
})

it('replaces no file, and names one that is no database', async () => {
  const dir = folder()
  const [from, to] = [join(dir, 'a.db'), join(dir, 'b.db')]
  await (await openStores({ sqlite: from })).close()
  writeFileSync(to, 'mine')
  await expect(copySqlite(from, to)).rejects.toMatchObject({ name: 'StoresError' })
  expect(statSync(to).size).toBe(4)
  await expect(copySqlite(to, join(dir, 'c.db'))).rejects.toMatchObject({ code: 'corrupt' })
})
