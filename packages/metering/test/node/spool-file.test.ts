import { createSpool, type UsageBatch } from '@wayleave/metering'
import { openSpoolFile } from '@wayleave/metering/node'
import { systemClock } from '@wayleave/jsonrpc-core'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wayleave-spool-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Holds the spool in a process of its own, which says so. */
const holder = `
  import { openSpoolFile } from '@wayleave/metering/node'
  globalThis.file = await openSpoolFile(process.argv[1])
  console.log('open')
  setInterval(() => {}, 1_000)
`

describe('the file of a spool', () => {
  it('is refused to a second opener until the first one closes it', async () => {
    const path = join(folder, 'usage.spool')
    const first = await openSpoolFile(path)
    const refused = await openSpoolFile(path).then(undefined, (why: unknown) => why)
    expect(refused).toMatchObject({ code: 'in_use' })
    expect((refused as Error).message).toBe(
      `${path} is in use by another process: stop that one, or give each process a spool of its own`,
    )
    await first.close()
    await (await openSpoolFile(path)).close()
    expect(statSync(`${path}.lock`).mode & 0o777).toBe(0o600)
  })

  it('is refused while another process has it, and free once that one was killed', async () => {
    const path = join(folder, 'usage.spool')
    const args = ['--conditions=@wayleave/source', '--input-type=module', '-e', holder, path]
    const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    await once(child.stdout, 'data')
    // Twice: a look must not end the lock of the other.
    for (let i = 0; i < 2; i++) await expect(openSpoolFile(path)).rejects.toMatchObject({ code: 'in_use' })
    child.kill('SIGKILL')
    await exited
    await (await openSpoolFile(path)).close()
  })

  it('keeps what was appended, cuts it, and is for its owner alone', async () => {
    const path = join(folder, 'usage.spool')
    const file = await openSpoolFile(path)
    await file.append(Uint8Array.of(1, 2, 3))
    await file.append(Uint8Array.of(4))
    await file.truncate(3)
    await file.append(Uint8Array.of(5))
    await file.close()
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const again = await openSpoolFile(path)
    expect([again.size, [...(await again.read(1, 100))], [...(await again.read(9, 1))]]).toEqual([4, [2, 3, 5], []])
    await again.close()
  })

  it('carries usage from one start to the next', async () => {
    const path = join(folder, 'usage.spool')
    const rows = [
      {
        project: 'p',
        key: 'ü',
        network: 'mainnet',
        method: 'eth_call',
        status: '2xx',
        minute: 1,
        calls: 3,
        credits: 240,
      } as const,
    ]
    const fails = (): Promise<void> => Promise.reject(new Error('the store is gone'))
    const first = createSpool({ file: await openSpoolFile(path), clock: systemClock, process: 'a', store: fails })
    await first.open()
    first.add(rows)
    await first.close()

    const batches: UsageBatch[] = []
    const store = async (batch: UsageBatch): Promise<void> => void batches.push(batch)
    const second = createSpool({ file: await openSpoolFile(path), clock: systemClock, process: 'b', store })
    await second.open()
    await second.close()
    expect(batches).toEqual([{ process: 'a', seq: 1, rows }])
    expect(statSync(path).size).toBe(0)
  })
})
