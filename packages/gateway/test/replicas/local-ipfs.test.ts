import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunningGateway, StoreConfig } from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { basic, key, refusedUrl, secret, startTestGateway } from '../support.ts'
import { isRequired, missingPostgres, freshDatabase } from './servers.ts'

const databases: Readonly<Record<string, { readonly isMissing: boolean; open(): Promise<StoreConfig> }>> = {
  PostgreSQL: {
    isMissing: !isRequired && missingPostgres() !== undefined,
    open: async () => ({ postgres: await freshDatabase() }),
  },
  SQLite: { isMissing: false, open: async () => ({ sqlite: join(await newFolder(), 'w.db') }) },
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-local-ipfs-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function open(dataDir: string, store: StoreConfig): Promise<RunningGateway> {
  const gateway = await startTestGateway([await refusedUrl()], {
    dataDir,
    store,
    listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
    ipfs: { backend: 'local' },
    projects: [{ name: 'demo', keys: [{ key, secret }] }],
  })
  onTestFinished(() => gateway.close(0))
  return gateway
}

async function ask(gateway: RunningGateway, command: string, upload?: string): Promise<string> {
  const body = new FormData()
  if (upload !== undefined) body.append('file', new Blob([upload]))
  const headers = { authorization: basic(key, secret) }
  const response = await fetch(`${gateway.ipfs}/api/v0/${command}`, { method: 'POST', headers, body })
  return response.text()
}

for (const [kind, { isMissing, open: openDatabase }] of Object.entries(databases)) {
  describe.skipIf(isMissing)(`local content over ${kind}`, { timeout: 60_000 }, () => {
    it('is kept by one folder: a gateway with another one is refused in words until it is given the name', async () => {
      const store = await openDatabase()
      const [first, second, copy] = [await newFolder(), await newFolder(), join(await newFolder(), 'restored')]
      const gateway = await open(first, store)
      const { Hash: cid } = JSON.parse(await ask(gateway, 'add', 'kept once')) as { readonly Hash: string }
      const named = (await readFile(join(first, 'ipfs/identity'), 'utf8')).trim()

      const refused = await open(second, store).catch((thrown: unknown) => thrown)
      expect(refused).toMatchObject({ name: 'ConfigError' })
      expect(String(refused)).toContain(`expected the folder of the store ${named}`)
      expect(String(refused)).toMatch(/one process serves IPFS over a database: stop this one, .*ipfs\.backend: kubo/)
      expect(await ask(gateway, `cat?arg=${cid}`)).toBe('kept once')

      await gateway.close()
      await cp(first, copy, { recursive: true })
      const restored = await open(copy, store)
      expect(await ask(restored, `cat?arg=${cid}`)).toBe('kept once')
      await restored.close()

      const file = join(second, 'ipfs/identity')
      expect(String(refused)).toContain(`write its name, ${named}, into ${file}`)
      await writeFile(file, `${named}\n`)
      const heir = await open(second, store)
      expect(await ask(heir, 'add', 'kept once')).toContain(cid)
      expect(await ask(heir, `cat?arg=${cid}`)).toBe('kept once')
    })
  })
}
