import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, renameSync, rmSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, createLog, type RunningGateway, startGateway } from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { missingPostgres, startPostgres } from './support/postgres-server.ts'
import { key, secret } from './support/gateway.ts'
import { answer, startPeer } from './support/peer.ts'

const token = 'a-token-of-operators'
const asOperator = { headers: { authorization: `Bearer ${token}` } }

interface Rig {
  readonly gateway: RunningGateway
  readonly log: Record<string, unknown>[]
  /** Adds a text and returns the status; what was acknowledged is remembered. */
  add(text: string): Promise<Response>
  /** `/status` of the store. */
  store(): Promise<{ readonly state: string; readonly reason?: string }>
  /** Resolves once the store has this state. How long that may take is asserted beside the watch, on a clock of its own. */
  reported(state: string): Promise<void>
  /** Ends this gateway, starts another one, and expects all pins that were acknowledged. */
  restart(): Promise<void>
}

async function startRig(store: Config['store'], dataDir = newFolder()): Promise<Rig> {
  const block = { number: '0x1', hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'0'.repeat(64)}` }
  const peer = await startPeer((call) => answer(call.method === 'eth_getBlockByNumber' ? block : '0x1')(call))
  onTestFinished(() => peer[Symbol.asyncDispose]())
  const log: Record<string, unknown>[] = []
  const open = (): Promise<RunningGateway> =>
    startGateway(
      {
        listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', ipfs: '127.0.0.1:0' },
        dataDir,
        ...(store && { store }),
        admin: { token },
        ipfs: { backend: 'local', dir: join(blocks, 'ipfs') },
        networks: { net: { kind: 'evm', chainId: 1, followHeads: false, upstreams: [peer.httpUrl] } },
        projects: [{ name: 'conformance', keys: [{ key, secret }] }],
      },
      { log: createLog({ level: 'warn', destination: { write: (line) => void log.push(JSON.parse(line)) } }) },
    )
  const blocks = newFolder()
  let gateway = await open()
  onTestFinished(() => gateway.close(0))
  const acknowledged = new Set<string>()
  const authorization = `Basic ${btoa(`${key}:${secret}`)}`
  const ask = (path: string, body?: FormData): Promise<Response> =>
    fetch(`${gateway.ipfs}/api/v0/${path}`, { method: 'POST', headers: { authorization }, ...(body && { body }) })

  const rig: Rig = {
    get gateway() {
      return gateway
    },
    log,
    async add(text) {
      const form = new FormData()
      form.append('file', new Blob([text]))
      const response = await ask('add', form)
      const said = await response.clone().text()
      if (response.status === 200) acknowledged.add(JSON.parse(said).Hash)
      return response
    },
    async store() {
      return (await (await fetch(`${gateway.admin}/status`, asOperator)).json()).store
    },
    async reported(state) {
      while ((await rig.store()).state !== state) await new Promise((resolve) => setTimeout(resolve, 20))
    },
    async restart() {
      await gateway.close(0)
      gateway = await open()
      const { Keys } = (await (await ask('pin/ls')).json()) as { readonly Keys: object }
      expect(Object.keys(Keys)).toEqual(expect.arrayContaining([...acknowledged]))
    },
  }
  expect((await rig.add('before')).status).toBe(200)
  return rig
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-faults-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Asks for what writes to the store in each API but IPFS. */
async function writesTo({ gateway }: Rig): Promise<readonly Response[]> {
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_newBlockFilter', params: [] }
  const asked = [
    [`${gateway.rpc}/v3/${key}`, call],
    [`${gateway.admin}/admin/v1/projects`, { name: 'new' }],
  ] as const
  return Promise.all(
    asked.map(([url, body]) =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(url.startsWith(gateway.admin!) && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
      }),
    ),
  )
}

/** While the store is gone: told, calls that need it are 503 with the reason, and everything else is served. */
async function expectGone(rig: Rig, reason: string): Promise<void> {
  await rig.reported('down')
  expect((await rig.store()).reason).toBe(reason)
  const refused = await rig.add('while')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2'])
  expect((await refused.json()).Message).toBe(`the store cannot be used now: ${reason}; try again in a few seconds`)
  for (const response of await writesTo(rig)) {
    expect([response.status, Number(response.headers.get('retry-after')), await response.text()]).toEqual([
      503,
      expect.toSatisfy((seconds: number) => seconds >= 1),
      expect.stringContaining('store'),
    ])
  }
  const ready = await fetch(`${rig.gateway.rpc}/readyz`)
  expect([ready.status, await ready.text()]).toEqual([200, `net: ok\nipfs: ok\nstore: ${reason}\n`])
  const metrics = await (await fetch(`${rig.gateway.admin}/metrics`, asOperator)).text()
  expect(metrics).toContain('wayleave_degraded{what="store"} 1\n')
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }
  expect((await fetch(`${rig.gateway.rpc}/v3/${key}`, { method: 'POST', body: JSON.stringify(call) })).status).toBe(200)
}

/** After the fault: told, calls work, two lines of log beside those of accounts, usage and filters, and nothing that was acknowledged is lost. */
async function expectBack(rig: Rig): Promise<void> {
  await rig.reported('ok')
  expect((await rig.add('later')).status).toBe(200)
  const lines = rig.log.map(({ msg }) => String(msg))
  expect(lines.filter((line) => !/^accounts |spool|filters/.test(line))).toEqual([
    'the store cannot be used; calls that need it fail until it works again',
    'the store works again',
  ])
  expect(await (await fetch(`${rig.gateway.admin}/metrics`, asOperator)).text()).toContain(
    'wayleave_degraded{what="store"} 0\n',
  )
  await rig.restart()
}

describe('an SQLite file', () => {
  it.each([
    ['deleted', unlinkSync, 'its file was deleted'],
    ['truncated', truncateSync, 'its file was truncated'],
    ['without its log', (path: string) => unlinkSync(`${path}-wal`), 'the log of its file was deleted'],
  ])('that is %s is told, and mended with all that was acknowledged', async (_what, harm, reason) => {
    const dataDir = newFolder()
    const rig = await startRig(undefined, dataDir)
    harm(join(dataDir, 'wayleave.sqlite'))
    // Told by a call that meets the fault, before any probe.
    const refused = await rig.add('at once')
    expect(refused.status).toBe(503)
    expect((await refused.json()).Message).toContain(reason)
    await expectBack(rig)
  })

  it('that is replaced is told until its own is back', async () => {
    const dataDir = newFolder()
    const path = join(dataDir, 'wayleave.sqlite')
    const rig = await startRig(undefined, dataDir)
    renameSync(path, `${path}.away`)
    writeFileSync(path, 'another file')
    await expectGone(rig, 'another file stands in the place of its file')
    expect(rig.log.find(({ fault }) => fault === 'replaced')!['detail']).toContain(
      `all that was acknowledged is in ${path}.rescued-1`,
    )
    renameSync(`${path}.away`, path)
    await expectBack(rig)
  })

  it('that is overwritten is told, and a restart takes the other content', async () => {
    const dataDir = newFolder()
    const rig = await startRig(undefined, dataDir)
    const other = newFolder()
    await startRig(undefined, other)
    execFileSync('cp', [join(other, 'wayleave.sqlite'), join(dataDir, 'wayleave.sqlite')])
    await expectGone(rig, 'its file was overwritten')
    expect(rig.log.find(({ fault }) => fault === 'overwritten')!['detail']).toContain('a restart takes it')
  })

  it('that is made read-only is told until it is writable', async () => {
    const dataDir = newFolder()
    const rig = await startRig(undefined, dataDir)
    chmodSync(join(dataDir, 'wayleave.sqlite'), 0o400)
    await expectGone(rig, 'it takes no writes')
    chmodSync(join(dataDir, 'wayleave.sqlite'), 0o600)
    await expectBack(rig)
  })

  it('on a full disk is told until there is room', async ({ skip }) => {
    const small = newFolder()
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', small], { stdio: 'ignore' })
    } catch {
      return skip('a small file system cannot be mounted here')
    }
    onTestFinished(() => void execFileSync('umount', ['-l', small]))
    const rig = await startRig(undefined, small)
    const ballast = join(small, 'ballast')
    const fill = (): void => {
      for (let bytes = 4_000_000; bytes > 100; bytes = Math.floor(bytes / 2)) {
        try {
          writeFileSync(ballast, Buffer.alloc(bytes), { flag: 'a' })
        } catch {
          // That much does not fit; half of it may.
        }
      }
    }
    fill()
    // Until the log of the database has no room left for the least write, either: an upload that fails leaves some.
    const isTaken = async (): Promise<boolean> => (await writesTo(rig)).some(({ status }) => status < 300)
    for (let i = 0; (await rig.add(`filling ${i}`)).status === 200 || (await isTaken()); i++) fill()
    await expectGone(rig, 'its disk is full')
    unlinkSync(ballast)
    await expectBack(rig)
  })
})

describe.skipIf(process.env['REQUIRE_SERVICES'] === undefined && missingPostgres() !== undefined)(
  'a PostgreSQL server',
  () => {
    it.each([
      ['stopped and started again', 'restart', 'its server cannot be reached'],
      ['frozen', 'freeze', 'it does not answer'],
    ] as const)(
      'that is %s is told, and used again',
      async (_what, harm, reason) => {
        await using server = await startPostgres()
        const rig = await startRig({ postgres: await server.createDatabase('pins') })
        await server[harm](() => expectGone(rig, reason))
        await expectBack(rig)
      },
      120_000,
    )
  },
)
