import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startGethNodes } from '../streams/chain/geth-nodes.ts'
import { otherClients, ownClients } from '../streams/find-clients.ts'
import { runClients } from '../streams/run-clients.ts'

const geth = process.env['GETH']
const ethclient = process.env['STREAMS_ETHCLIENT']

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'streams-interop-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe.skipIf(geth === undefined)('two geths, of which one is killed and the other one paused', () => {
  it('stock clients see every head and log once', { timeout: 540_000 }, async () => {
    const skipped: string[] = []
    const programs = ethclient === undefined ? { missing: 'not built' } : { streams: ethclient }
    const others = otherClients(process.env['WEB3PY'] ?? 'python3', programs, (why) => skipped.push(why))
    for (const why of skipped) console.log(`not run: ${why}`)
    await using chain = await startGethNodes({ geth: geth!, folder, blockMs: 3_000 })
    const result = await runClients({
      chain,
      clients: [...ownClients, ...others],
      lengthMs: 300_000,
      everyMs: 5_000,
      verify: 'off',
      folder,
      signal: AbortSignal.timeout(520_000),
      report: (line) => console.log(line),
    })
    expect(result.misfortunes).toBeGreaterThan(1)
    expect(result.logs).toBeGreaterThan(0)
    for (const { client, heads, logs } of result.figures) {
      expect({ client, heads }).toEqual({
        client,
        heads: { seen: result.blocks, missed: 0, doubled: 0, misplaced: 0 },
      })
      expect({ client, logs }).toEqual({ client, logs: { seen: result.logs, missed: 0, doubled: 0, misplaced: 0 } })
    }
  })
})
