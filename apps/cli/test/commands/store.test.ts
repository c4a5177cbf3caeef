import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openStores } from '@wayleave/stores'
import { expect, it } from 'vitest'
import { folder, runWayleave } from '../helpers.ts'

const by = { actor: 'ops', at: 1 }

async function filled(): Promise<{ readonly dir: string; readonly from: string }> {
  const dir = await folder()
  const from = join(dir, 'wayleave.sqlite')
  await using stores = await openStores({ sqlite: from })
  await stores.accounts.createProject({ id: 'shop', name: 'Shop' }, by)
  await stores.pins.put('shop', { cid: 'QmA', type: 'recursive', name: 'a', bytes: 5n })
  return { dir, from }
}

it('copies a store into the one of a configuration, in lines for a pipe and as JSON', async () => {
  const { dir, from } = await filled()
  const config = join(dir, 'b.json')
  await writeFile(
    config,
    JSON.stringify({
      networks: { main: { kind: 'evm', chainId: 1, upstreams: [{ url: 'http://127.0.0.1:9' }] } },
      store: { sqlite: join(dir, 'b', 'b.sqlite') },
    }),
  )
  const { code, stdout, stderr } = await runWayleave(['store', 'copy', '--from', from, '--to', config])
  expect([code, stderr]).toEqual([0, expect.stringContaining('both have the same rows, sums and digests')])
  expect(stderr).toContain('compared 6 of 6 rows\n')
  expect(stdout).toMatch(/^account_projects\t1\t-\t[0-9a-f]{16}$/m)
  expect(stdout).toMatch(/^pins\t1\tbytes=5\t[0-9a-f]{16}$/m)
  const back = await runWayleave(['store', 'copy', '--from', config, '--to', join(dir, 'c.sqlite'), '--json'])
  expect([back.code, back.stderr]).toEqual([0, ''])
  const { tables, resumed } = JSON.parse(back.stdout) as { tables: { table: string; rows: number }[]; resumed: boolean }
  expect(resumed).toBe(false)
  expect(tables.find(({ table }) => table === 'pins')).toMatchObject({ rows: 1, sums: { bytes: '5' } })
})

it('refuses a copy of a store in use, of a place that is none, and without a place', async () => {
  const { dir, from } = await filled()
  const to = join(dir, 'b.sqlite')
  {
    await using running = await openStores({ sqlite: from })
    await running.probe()
    const inUse = await runWayleave(['store', 'copy', '--from', from, '--to', to])
    expect([inUse.code, inUse.stderr]).toEqual([1, expect.stringContaining('stop the gateway first')])
    const asJson = await runWayleave(['store', 'copy', '--from', from, '--to', to, '--json'])
    expect(JSON.parse(asJson.stdout)).toMatchObject({ error: { code: 'conflict' } })
  }
  const url = 'mysql://user:secret@host/a'
  const wrong = await runWayleave(['store', 'copy', '--from', from, '--to', url])
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.not.stringContaining('secret')])
  const missing = await runWayleave(['store', 'copy', '--from', join(dir, 'none.sqlite'), '--to', to])
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('expected an SQLite file that exists')])
  expect((await runWayleave(['store', 'copy', '--from', from])).code).toBe(2)
})
