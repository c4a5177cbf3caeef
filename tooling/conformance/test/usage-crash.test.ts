import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { call, post } from './support/http.ts'
import { answer, startPeer } from './support/peer.ts'
import { startProxy } from './support/proxy-process.ts'

const key = 'a-key-whose-usage-is-counted'
const read = call('eth_getBalance', ['0x1', 'latest'])

it('usage survives a kill between its flush and the store, and is counted once', async () => {
  const peer = await startPeer(answer('0x1'))
  onTestFinished(() => peer[Symbol.asyncDispose]())
  const folder = mkdtempSync(join(tmpdir(), 'conformance-usage-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const sqlite = join(folder, 'wayleave.sqlite')
  const spool = join(folder, 'usage.spool')
  const config = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    dataDir: folder,
    networks: { net: { kind: 'evm', chainId: 1, followHeads: false, upstreams: [peer.httpUrl] } },
    projects: [{ name: 'shop', keys: [{ key }] }],
  }

  function counted(): unknown {
    using database = new DatabaseSync(sqlite, { readOnly: true })
    const row = database.prepare("SELECT sum(calls) AS calls FROM usage_rows WHERE period = 'day'").get()
    return row?.['calls'] ?? 0
  }

  /** The calls in the spool: its records are JSON behind binary heads. */
  async function spooled(): Promise<number> {
    const text = await readFile(spool, 'latin1')
    return [...text.matchAll(/"2xx",\d+,(\d+),\d+\]/g)].reduce((sum, [, count]) => sum + Number(count), 0)
  }

  let calls = 0
  for (let round = 0; round < 3; round++) {
    const proxy = await startProxy(config)
    // Calls from before have reached the store at the start.
    expect(counted()).toBe(calls)
    const writer = new DatabaseSync(sqlite, { timeout: 5_000 })
    writer.exec('BEGIN IMMEDIATE')
    try {
      for (let i = 0; i < 10; i++) {
        expect((await post(`${proxy.rpc}/v3/${key}`, read)).status).toBe(200)
        calls++
      }
      while ((await spooled()) < 10) await new Promise((resolve) => setTimeout(resolve, 10))
      await proxy.crash()
    } finally {
      writer.exec('ROLLBACK')
      writer.close()
    }
    expect(counted()).toBe(calls - 10)
    expect(await spooled()).toBe(10)
  }

  const last = await startProxy(config)
  expect(await last.stop()).toBe(0)
  expect(counted()).toBe(calls)
  expect(await spooled()).toBe(0)
}, 60_000)
