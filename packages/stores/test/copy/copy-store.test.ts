import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { UsageRow } from '@wayleave/metering'
import { copyStore, openStores, type StoresOptions } from '@wayleave/stores'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabase, missingPostgres } from '../postgres-server.ts'
import { recordOf } from '../records.ts'

const isOptional = process.env['REQUIRE_SERVICES'] === undefined
const by = { actor: 'ops', at: 1_700_000_000_000 }
const all = { period: 'minute', from: 0, to: 2 ** 50, by: ['method', 'at'], limit: 10_000 } as const

function file(): StoresOptions & { readonly sqlite: string } {
  const path = mkdtempSync(join(tmpdir(), 'wayleave-store-copy-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return { sqlite: join(path, 'a.db') }
}

const database = async (): Promise<StoresOptions> => ({ postgres: await freshDatabase() })

function usageRows(count: number, from = 0): readonly UsageRow<string>[] {
  const place = { project: 'uni', key: 'k1', network: 'mainnet', status: '2xx' }
  return Array.from({ length: count }, (_, i) => ({
    minute: from + Math.floor(i / 50),
    ...place,
    method: `Method_${i % 50}`,
    calls: i,
    credits: 2 ** 40,
  }))
}

/** Fills a store with rows of each table, and closes it. */
async function fill(place: StoresOptions, usage = usageRows(500)): Promise<void> {
  await using stores = await openStores(place)
  const { accounts, pins } = stores
  await accounts.putPlan({ id: 'gold', name: 'Gold', limits: { maxFilters: 10 } }, by)
  await accounts.createProject({ id: 'uni', name: 'Ünï 🦄', plan: 'gold' }, by)
  await accounts.createProject({ id: 'Shop', name: '"Shop"\\' }, by)
  for (let i = 0; i < 20; i++) {
    const digest = i.toString(16).padStart(64, '0')
    await accounts.createKey({ id: `k${i}`, projectId: i % 2 === 0 ? 'uni' : 'Shop', digest, hint: 'abcd' }, by)
  }
  await accounts.removeKey('k3', by)
  await accounts.touch([{ keyId: 'k1', usedAt: 5 }])
  await stores.usage.add('gateway-1', 7, usage)
  await pins.put('uni', { cid: 'QmA', type: 'recursive', name: undefined, bytes: 2n ** 53n + 1n })
  await pins.put('Shop', { cid: 'QmA', type: 'direct', name: 'ä', bytes: 5n })
  await pins.charge('Shop', '2026-11', { uploadedBytes: 7n, downloadedBytes: 8n })
  await stores.fees.save('mainnet', recordOf(1, 300))
  const cursor = { number: 7, hash: '0xab' }
  const filter = { id: '0x1', project: undefined, kind: 'logs', criteria: { address: [] }, cursor } as const
  await stores.filters.put('mainnet', { ...filter, pendingCursor: undefined, expiresAt: 2 ** 45, revision: 0 })
}

/** Reads what a store holds, through its own calls. */
async function contentOf(place: StoresOptions) {
  await using stores = await openStores(place)
  const { accounts, pins, usage, fees, filters } = stores
  return {
    snapshot: await accounts.snapshot(),
    audit: await accounts.audit({ limit: 100 }),
    used: await accounts.lastUsed(['k1', 'k2']),
    usage: await usage.query(all),
    seq: await usage.lastSeq('gateway-1'),
    pins: [await pins.list('uni', { limit: 10 }), await pins.list('Shop', { limit: 10 })],
    moved: await pins.usage('Shop', '2026-11'),
    fees: await fees.load('mainnet'),
    filters: await filters.list('mainnet', 0, 10),
  }
}

/** Copies in a process of its own, which is killed at its n-th page, if one is given. Resolves with the last line that it printed. */
async function copyInProcess(from: StoresOptions, to: StoresOptions, killAtPage?: number): Promise<string | undefined> {
  const program = fileURLToPath(new URL('copier.ts', import.meta.url))
  const places = [from, to].map((place) => JSON.stringify(place))
  const child = spawn(process.execPath, ['--conditions=@wayleave/source', program, ...places], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  let pages = 0
  let last: string | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    last = line
    if (line.startsWith('copy') && ++pages === killAtPage) child.kill('SIGKILL')
  }
  await exited
  return last
}

it('copies all that outlasts a gateway from SQLite to SQLite, and removes its marks', async () => {
  const [from, to] = [file(), file()]
  await fill(from)
  const { tables, isResumed } = await copyStore(from, to)
  expect(isResumed).toBe(false)
  const rows = Object.fromEntries(tables.map(({ table, rows: count }) => [table, count]))
  expect(rows).toMatchObject({ account_keys: 19, account_feed: 1, pins: 2, usage_processes: 1, fee_blocks: 300 })
  expect(tables.find(({ table }) => table === 'pins')?.sums).toEqual({ bytes: String(2n ** 53n + 6n) })
  expect(await contentOf(to)).toEqual(await contentOf(from))
})

it('refuses a place that is in use, one with state, the same place, and one that holds nothing', async () => {
  const [from, to] = [file(), file()]
  await expect(copyStore(from, to)).rejects.toMatchObject({ code: 'not_found' })
  await fill(from)
  await expect(copyStore(from, from)).rejects.toMatchObject({ code: 'invalid' })
  {
    await using running = await openStores(from)
    await running.probe()
    await expect(copyStore(from, to)).rejects.toMatchObject({ code: 'conflict', message: /stop the gateway/ })
  }
  {
    await using running = await openStores(to)
    await running.probe()
    await expect(copyStore(from, to)).rejects.toMatchObject({ code: 'conflict', message: /stop the gateway/ })
    await running.pins.put('p', { cid: 'QmA', type: 'direct', name: undefined, bytes: 5n })
  }
  await expect(copyStore(from, to)).rejects.toMatchObject({ code: 'conflict', message: /holds state already \(pin/ })
})

it('keeps every gateway from a place whose copy was stopped, and begins anew where its source changed since', async () => {
  const [from, to, other] = [file(), file(), file()]
  await fill(from)
  const stop = new AbortController()
  const stopped = copyStore(from, to, { signal: stop.signal, onProgress: () => stop.abort() })
  await expect(stopped).rejects.toMatchObject({ name: 'AbortError' })
  await expect(openStores(to)).rejects.toMatchObject({ code: 'conflict', message: /a copy that has not ended/ })
  await expect(copyStore(to, other)).rejects.toMatchObject({ code: 'conflict' })
  await fill(other)
  await expect(copyStore(other, to)).rejects.toMatchObject({ code: 'conflict', message: /holds a copy of/ })
  {
    await using served = await openStores(from)
    await served.accounts.putPlan({ id: 'gold', name: 'Gold 2', limits: {} }, by)
  }
  expect((await copyStore(from, to)).isResumed).toBe(true)
  expect(await contentOf(to)).toEqual(await contentOf(from))
})

const missing = missingPostgres()
const reason = missing === undefined ? '' : ` (skipped: ${missing})`

describe.skipIf(isOptional && missing !== undefined)(`with PostgreSQL${reason}`, () => {
  it('copies from SQLite to PostgreSQL and back though it is killed twice on the way', async () => {
    const [from, back] = [file(), file()]
    const to = await database()
    await fill(from, usageRows(12_000))
    const before = await contentOf(from)
    expect(await copyInProcess(from, to, 9)).toMatch(/^copy /)
    expect(await copyInProcess(from, to, 1)).toMatch(/^copy /)
    expect(await copyInProcess(from, to)).toBe('resumed')
    expect(await contentOf(to)).toEqual(before)
    await copyStore(to, back)
    expect(await contentOf(back)).toEqual(before)
    // Changes go on with the numbers of the source.
    await using stores = await openStores(to)
    const { seq } = before.snapshot
    await stores.accounts.updateKey('k1', { disabled: true }, by)
    expect((await stores.accounts.snapshot()).seq).toBe(seq + 1)
    await stores.usage.add('gateway-1', 7, usageRows(12_000))
    expect(await stores.usage.query(all)).toEqual(before.usage)
  }, 60_000)

  it('refuses a database that another process of wayleave uses', async () => {
    const from = file()
    await fill(from)
    const to = await database()
    await using running = await openStores(to)
    await running.probe()
    await expect(copyStore(from, to)).rejects.toMatchObject({ code: 'conflict', message: /stop the gateway/ })
    await expect(copyStore(to, from)).rejects.toMatchObject({ code: 'conflict' })
  })
})
