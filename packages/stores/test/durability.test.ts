import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { UsageRow } from '@wayleave/metering'
import { openStores } from '@wayleave/stores'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wayleave-durable-'))
})
afterAll(() => rm(folder, { recursive: true }))

const by = { actor: 'ops', at: 1 }
const row: UsageRow<string> = {
  minute: 1,
  project: 'p',
  key: 'k',
  network: 'n',
  method: 'm',
  status: 'ok',
  calls: 1,
  credits: 1,
}

it('has a revocation, and each batch of usage, that was confirmed right before the process was killed', async () => {
  const sqlite = join(folder, 'killed.db')
  {
    await using stores = await openStores({ sqlite })
    await stores.accounts.createProject({ id: 'p', name: 'P' }, by)
    for (let i = 0; i < 5; i++) {
      const digest = String(i).repeat(64)
      await stores.accounts.createKey({ id: `k${i}`, projectId: 'p', digest, hint: '' }, by)
    }
  }
  for (let i = 0; i < 5; i++) {
    const program = fileURLToPath(new URL('revoker.ts', import.meta.url))
    const child = spawn(process.execPath, ['--conditions=@wayleave/source', program, sqlite, String(i)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    await using stores = await openStores({ sqlite })
    expect(await stores.accounts.key(`k${i}`)).toMatchObject({ disabled: true })
    // A process that did not hear of it adds its batch again.
    await stores.usage.add(`process-${i}`, 1, [row])
    const sum = await stores.usage.query({ period: 'day', from: 0, to: 1e9, by: [], limit: 1 })
    expect(sum).toEqual([{ calls: i + 1, credits: i + 1 }])
  }
})

it('syncs each change of an account, and no note of a use', async () => {
  await using stores = await openStores({ sqlite: join(folder, 'synced.db') })
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
  const statements = (): string[] => prepare.mock.calls.map(([statement]) => statement).splice(0)
  try {
    await stores.accounts.createProject({ id: 'p', name: 'P' }, by)
    const written = statements()
    expect(written.indexOf('pragma synchronous = full')).toBe(written.indexOf('begin immediate') - 1)
    expect(written.indexOf('pragma synchronous = normal')).toBeGreaterThan(written.indexOf('commit'))
    prepare.mockClear()
    await stores.accounts.touch([{ keyId: 'k', usedAt: 1 }])
    expect(statements().join()).not.toContain('synchronous')
  } finally {
    prepare.mockRestore()
  }
})

it('writes at most 100 rows in a transaction', async () => {
  const sqlite = join(folder, 'steps.db')
  await using stores = await openStores({ sqlite })
  using other = new DatabaseSync(sqlite)
  // How far the process came is noted last in each transaction, so it names the transaction of a row.
  other.exec(`create table written (step);
    create trigger note after insert on usage_rows begin
      insert into written select added from usage_processes where process = 'a';
    end`)
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
  try {
    const rows = Array.from({ length: 1_000 }, (_, i) => ({ ...row, key: `k${i}` }))
    await stores.usage.add('a', 1, rows)
    const begun = prepare.mock.calls.filter(([statement]) => statement === 'begin immediate')
    const steps = other.prepare('select count(*) as written from written group by step').all()
    const written = steps.map((step) => Number(step['written']))
    expect(written.reduce((sum, rowsOfStep) => sum + rowsOfStep, 0)).toBe(3_000)
    expect(Math.max(...written)).toBeLessThanOrEqual(100)
    expect(begun).toHaveLength(written.length)
  } finally {
    prepare.mockRestore()
  }
})
