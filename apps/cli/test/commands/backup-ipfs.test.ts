import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folder, key, readyOf, runWayleave, secret, wayleave } from '../helpers.ts'

const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`

async function ask(ipfs: string, command: string, content?: Buffer): Promise<{ status: number; body: Buffer }> {
  const form = content && new FormData()
  if (content !== undefined) form?.append('file', new Blob([new Uint8Array(content)]))
  const response = await fetch(`${ipfs}/api/v0/${command}`, {
    method: 'POST',
    headers: { authorization },
    body: form ?? null,
  })
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()) }
}

/** Serves IPFS content from a data folder, until `stop`. */
async function serve(dataDir: string) {
  const file = `${dataDir}.json`
  const config = {
    dataDir,
    listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: { devnet: { kind: 'evm', chainId: 7, followHeads: false, upstreams: ['http://127.0.0.1:1'] } },
    projects: [{ name: 'demo', keys: [{ key, secret }] }],
    // Content that nobody pins is removed as soon as it can be.
    ipfs: { backend: 'local', maxUnpinnedBytes: 1 },
  }
  await writeFile(file, JSON.stringify(config))
  const running = wayleave(['serve', '--config', file, '--json'])
  const { ipfs } = await readyOf(running)
  const stop = async (): Promise<void> => {
    running.child.kill('SIGTERM')
    await running.exited
  }
  return { ipfs, file, stop }
}

it(
  'restores a gateway that has the content of all its pins, though some came and went meanwhile',
  { timeout: 120_000 },
  async () => {
    const dir = await folder()
    const tar = join(dir, 'a.tar')
    const live = await serve(join(dir, 'live'))
    const contents = new Map<string, Buffer>()
    const add = async (): Promise<string> => {
      const content = randomBytes(300_000)
      const { Hash } = JSON.parse(String((await ask(live.ipfs, 'add', content)).body)) as { readonly Hash: string }
      contents.set(Hash, content)
      return Hash
    }
    const first = await Promise.all(Array.from({ length: 30 }, add))
    const done = new AbortController()
    const changing = (async () => {
      for (const cid of first.slice(10)) {
        if (done.signal.aborted) return
        expect((await ask(live.ipfs, `pin/rm?arg=${cid}`)).status).toBe(200)
        await add()
      }
    })()
    const made = await runWayleave(['backup', tar, '--config', live.file, '--with-ipfs'])
    done.abort()
    await changing
    await live.stop()
    expect(made).toMatchObject({ code: 0, stderr: '' })

    const dataDir = join(dir, 'restored')
    expect(await runWayleave(['restore', tar, '--data-dir', dataDir])).toMatchObject({ code: 0 })
    const restored = await serve(dataDir)
    const { Keys } = JSON.parse(String((await ask(restored.ipfs, 'pin/ls?type=recursive')).body)) as {
      Keys: Record<string, object>
    }
    const pinned = Object.keys(Keys)
    // Those that nobody touched are all there.
    expect(pinned).toEqual(expect.arrayContaining(first.slice(0, 10)))
    for (const cid of pinned) {
      const { status, body } = await ask(restored.ipfs, `cat?arg=${cid}`)
      expect([status, body.equals(contents.get(cid)!)]).toEqual([200, true])
    }
    await restored.stop()
    expect((await readFile(tar)).length).toBeGreaterThan(3_000_000)
  },
)
