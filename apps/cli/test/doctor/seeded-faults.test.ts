import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { openStores } from '@wayleave/stores'
import { expect, it, onTestFinished } from 'vitest'
import type { Finding } from '../../src/doctor/finding.ts'
import { folder, runWayleave } from '../helpers.ts'
import { makeCertificate } from './certificates.ts'
import { type NodeTraits, serveTraits } from './nodes.ts'
import { isRequired, missingPostgres, missingRedis, startPostgres, startRedis } from './servers.ts'

type Json = Record<string, unknown>

/** A fault that is made for the test: members of the configuration, or `skip` with the reason why it cannot be made here. */
interface Fault {
  readonly name: string
  readonly code: string
  readonly level: 'warn' | 'fail'
  /** A word of what is found, and one of the remedy. */
  readonly text: RegExp
  readonly remedy: RegExp
  seed(dir: string): Promise<Json | { readonly skip: string }>
}

const far = '20990101000000Z'
const token = 'Zk3vQ8mXw2Lr7TnB5yHc'
const farMinutes = 600_000

/** The address of a port that was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** The address of a port that a program of no gateway holds until the test ends. */
async function heldPort(): Promise<string> {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function evm(...nodes: readonly NodeTraits[]): Promise<Json> {
  const upstreams = await Promise.all((nodes.length === 0 ? [{}] : nodes).map(serveTraits))
  return { networks: { main: { kind: 'evm', chainId: 7, upstreams } } }
}

async function upstream(of: Json): Promise<Json> {
  return { networks: { main: { kind: 'evm', chainId: 7, upstreams: [{ ...(await serveTraits()), ...of }] } } }
}

const schemas = new URL('../../../../packages/stores/test/schemas/', import.meta.url)

function mount(dir: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', dir], { stdio: 'ignore' })
  } catch {
    return false
  }
  onTestFinished(() => void execFileSync('umount', ['-l', dir]))
  return true
}

const faults: readonly Fault[] = [
  {
    name: 'a member that is misspelt',
    code: 'config',
    level: 'fail',
    text: /unknown member/,
    remedy: /config check/,
    seed: async () => ({ dataDirr: 'x' }),
  },
  {
    name: 'a value that is probably not meant',
    code: 'config_warning',
    level: 'warn',
    text: /the addresses of your proxies/,
    remedy: /change it/,
    seed: async () => ({ trustedProxies: ['0.0.0.0/0'] }),
  },
  {
    name: 'a port that another program holds',
    code: 'port_taken',
    level: 'fail',
    text: new RegExp(`another program.*process ${process.pid}`),
    remedy: /stop that program, or choose another port in listen.rpc/,
    seed: async () => ({ listen: { rpc: await heldPort(), admin: '127.0.0.1:0' } }),
  },
  {
    name: 'the port of the admin listener held by another program',
    code: 'port_taken',
    level: 'fail',
    text: /another program/,
    remedy: /listen.admin/,
    seed: async () => ({ listen: { rpc: '127.0.0.1:0', admin: await heldPort() } }),
  },
  {
    name: 'an address of another machine',
    code: 'address_unknown',
    level: 'fail',
    text: /no address 203.0.113.7/,
    remedy: /0\.0\.0\.0/,
    seed: async () => ({ listen: { rpc: '203.0.113.7:8545', admin: '127.0.0.1:0' } }),
  },
  {
    name: 'a node that is down',
    code: 'upstream_unreachable',
    level: 'fail',
    text: /nothing listens there/,
    remedy: /start the node/,
    seed: async () => upstream({ url: `http://127.0.0.1:${await closedPort()}/sk-secret` }),
  },
  {
    name: 'a node that is silent',
    code: 'upstream_unreachable',
    level: 'fail',
    text: /no answer within 4 s/,
    remedy: /start the node/,
    seed: () => evm({ isSilent: true }),
  },
  {
    name: 'a node of another chain',
    code: 'chain_mismatch',
    level: 'fail',
    text: /chain 8, not of 7/,
    remedy: /networks\.main\.chainId/,
    seed: () => evm({}, { chain: '0x8' }),
  },
  {
    name: 'a node that gives another answer to the chain check of kind jsonrpc',
    code: 'chain_mismatch',
    level: 'fail',
    text: /its eth_chainId is not the answer/,
    remedy: /networks\.main\.chain\.result/,
    seed: async () => {
      const { url } = await serveTraits({ chain: '0x8' })
      const chain = { method: 'eth_chainId', result: '0x7' }
      return { networks: { main: { kind: 'jsonrpc', methods: { allow: ['getblock'] }, chain, upstreams: [url] } } }
    },
  },
  {
    name: 'nodes of two chains where none is named',
    code: 'chains_differ',
    level: 'fail',
    text: /chains 7 and 8/,
    remedy: /networks\.main\.chainId/,
    seed: async () => {
      const upstreams = await Promise.all([{}, { chain: '0x8' }].map(serveTraits))
      return { networks: { main: { kind: 'evm', upstreams } } }
    },
  },
  {
    name: 'a node that is behind the others',
    code: 'behind',
    level: 'warn',
    text: /50 blocks \(5 min\) behind/,
    remedy: /peers/,
    seed: () => evm({}, { height: 950, ageMs: 301_000 }),
  },
  {
    name: 'a node that stands still',
    code: 'stale_head',
    level: 'warn',
    text: /newest block is 3 h old/,
    remedy: /syncs/,
    seed: () => evm({ ageMs: 10_800_000 }),
  },
  {
    name: 'blocks of a clock behind this one',
    code: 'clock',
    level: 'warn',
    text: /newest block is 9\d s old/,
    remedy: /NTP/,
    seed: () => evm({ ageMs: 90_000 }),
  },
  {
    name: 'a node that is still syncing',
    code: 'syncing',
    level: 'warn',
    text: /still syncing/,
    remedy: /wait/,
    seed: () => evm({ isSyncing: true }),
  },
  {
    name: 'no archive',
    code: 'no_archive',
    level: 'warn',
    text: /old blocks/,
    remedy: /archive node/,
    seed: () => evm({ hasArchive: false }, { hasArchive: false }),
  },
  {
    name: 'a WebSocket that nobody serves',
    code: 'websocket',
    level: 'fail',
    text: /no WebSocket at ws:/,
    remedy: /geth --ws/,
    seed: async () => upstream({ ws: `ws://127.0.0.1:${await closedPort()}/sk-secret` }),
  },
  {
    name: 'a key that the provider refuses',
    code: 'upstream_refused',
    level: 'fail',
    text: /HTTP 401/,
    remedy: /mend the key/,
    seed: () => evm({ status: 401 }),
  },
  {
    name: 'a plan at the provider that is spent',
    code: 'upstream_limited',
    level: 'fail',
    text: /HTTP 429/,
    remedy: /budget/,
    seed: () => evm({ status: 429 }),
  },
  {
    name: 'a URL of a web page',
    code: 'upstream_not_a_node',
    level: 'fail',
    text: /not as a JSON-RPC node/,
    remedy: /URL of the JSON-RPC API/,
    seed: () => evm({ status: 200 }),
  },
  {
    name: 'a certificate of a node that nobody trusts',
    code: 'upstream_untrusted',
    level: 'fail',
    text: /not trusted/,
    remedy: /NODE_EXTRA_CA_CERTS/,
    seed: async (dir) => evm({ tls: makeCertificate(dir, far) }),
  },
  {
    name: 'a certificate of a node that has ended',
    code: 'upstream_certificate',
    level: 'fail',
    text: /ended \d+ days ago/,
    remedy: /renew/,
    seed: async (dir) => evm({ tls: makeCertificate(dir, '20250201000000Z') }),
  },
  {
    name: 'the clock of one node',
    code: 'clock',
    level: 'warn',
    text: /10 min ahead/,
    remedy: /whichever/,
    seed: () => evm({}, {}, { aheadMs: farMinutes }),
  },
  {
    name: 'the clock of this machine',
    code: 'clock',
    level: 'warn',
    text: /10 min ahead/,
    remedy: /clock of this machine/,
    seed: () => evm({ aheadMs: farMinutes }, { aheadMs: farMinutes }),
  },
  {
    name: 'a rollup node that is down',
    code: 'rollup_node',
    level: 'fail',
    text: /nothing listens/,
    remedy: /op-node/,
    seed: async () => {
      const rollupNode = `http://127.0.0.1:${await closedPort()}`
      return { networks: { main: { kind: 'rollup', chainId: 7, upstreams: [await serveTraits()], rollupNode } } }
    },
  },
  {
    name: 'a database that is none',
    code: 'store_damaged',
    level: 'fail',
    text: /damaged/,
    remedy: /wayleave restore/,
    seed: async (dir) => {
      writeFileSync(join(dir, 'wayleave.sqlite'), 'Dear reader, this is a letter and no database. '.repeat(100))
      return { dataDir: dir }
    },
  },
  {
    name: 'a database of a newer version',
    code: 'store_newer',
    level: 'fail',
    text: /9999-later/,
    remedy: /newer version/,
    seed: async (dir) => {
      const sqlite = join(dir, 'wayleave.sqlite')
      await (await openStores({ sqlite })).close()
      const database = new DatabaseSync(sqlite)
      database.exec(`insert into wayleave_migrations values ('9999-later', '2099-01-01T00:00:00.000Z')`)
      database.close()
      return { dataDir: dir }
    },
  },
  {
    name: 'a database of an earlier version',
    code: 'store_pending',
    level: 'warn',
    text: /0002-pins/,
    remedy: /wayleave backup/,
    seed: async (dir) => {
      const database = new DatabaseSync(join(dir, 'wayleave.sqlite'))
      database.exec(await readFile(new URL(readdirSync(schemas).toSorted()[0]!, schemas), 'utf8'))
      database.close()
      return { dataDir: dir }
    },
  },
  {
    name: 'a data folder that cannot be made',
    code: 'store_failed',
    level: 'fail',
    text: /cannot be written/,
    remedy: /dataDir/,
    seed: async (dir) => {
      writeFileSync(join(dir, 'file'), '')
      return { dataDir: join(dir, 'file', 'data') }
    },
  },
  {
    name: 'a full disk',
    code: 'store_full',
    level: 'fail',
    text: /disk is full/,
    remedy: /free space/,
    seed: async (dir) => {
      if (!mount(dir)) return { skip: 'a small file system cannot be mounted here' }
      expect(() => writeFileSync(join(dir, 'filler'), Buffer.alloc(2_000_000))).toThrow('ENOSPC')
      return { dataDir: join(dir, 'data') }
    },
  },
  {
    name: 'PostgreSQL that is down',
    code: 'store_unreachable',
    level: 'fail',
    text: /PostgreSQL database/,
    remedy: /start PostgreSQL/,
    seed: async () => ({ store: { postgres: `postgres://admin:sk-secret@127.0.0.1:${await closedPort()}/x` } }),
  },
  {
    name: 'a wrong password of PostgreSQL',
    code: 'store_refused',
    level: 'fail',
    text: /refused the user or the password/,
    remedy: /mend user and password/,
    seed: async () => {
      if (!isRequired && missingPostgres() !== undefined) return { skip: missingPostgres()! }
      const server = await startPostgres()
      onTestFinished(() => server.stop())
      const url = new URL(await server.createDatabase('d'))
      url.password = 'sk-secret'
      return { store: { postgres: url.href } }
    },
  },
  {
    name: 'too few connections of PostgreSQL',
    code: 'store_connections',
    level: 'warn',
    text: /50 gateways need 300/,
    remedy: /max_connections/,
    seed: async () => {
      if (!isRequired && missingPostgres() !== undefined) return { skip: missingPostgres()! }
      const server = await startPostgres()
      onTestFinished(() => server.stop())
      return { store: { postgres: await server.createDatabase('d') }, replicas: 50, redis: 'redis://127.0.0.1:1' }
    },
  },
  {
    name: 'Redis that is down',
    code: 'redis_unreachable',
    level: 'fail',
    text: /cannot be reached/,
    remedy: /start Redis/,
    seed: async () => ({ redis: `redis://:sk-secret@127.0.0.1:${await closedPort()}` }),
  },
  {
    name: 'a Redis that may drop limits',
    code: 'redis_eviction',
    level: 'warn',
    text: /allkeys-lru/,
    remedy: /noeviction/,
    seed: async () => {
      if (!isRequired && missingRedis() !== undefined) return { skip: missingRedis()! }
      const server = await startRedis('--maxmemory-policy', 'allkeys-lru')
      onTestFinished(() => server.stop())
      return { redis: server.url }
    },
  },
  {
    name: 'a Redis of the cache that refuses answers once it is full',
    code: 'redis_no_eviction',
    level: 'warn',
    text: /noeviction/,
    remedy: /allkeys-lru/,
    seed: async () => {
      if (!isRequired && missingRedis() !== undefined) return { skip: missingRedis()! }
      const server = await startRedis('--maxmemory-policy', 'noeviction')
      onTestFinished(() => server.stop())
      return { cache: { redis: server.url } }
    },
  },
  {
    name: 'Kubo that is down',
    code: 'kubo',
    level: 'fail',
    text: /cannot be reached/,
    remedy: /Addresses\.API/,
    seed: async (dir) => ({
      dataDir: dir,
      ipfs: { backend: 'kubo', url: `http://127.0.0.1:${await closedPort()}` },
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', ipfs: '127.0.0.1:0' },
    }),
  },
  {
    name: 'a certificate that has ended',
    code: 'certificate_ended',
    level: 'fail',
    text: /ended \d+ days ago/,
    remedy: /renew it/,
    seed: async (dir) => tlsOf(makeCertificate(dir, '20250201000000Z')),
  },
  {
    name: 'a certificate without a name',
    code: 'certificate_names',
    level: 'warn',
    text: /names all of bareHosts, got one without rpc\.example\.org/,
    remedy: /get a certificate/,
    seed: async (dir) => ({
      ...tlsOf(makeCertificate(dir, far, 'other.example.org')),
      bareHosts: ['rpc.example.org', 'other.example.org'],
    }),
  },
  {
    name: 'the key of another certificate',
    code: 'config',
    level: 'fail',
    text: /key of another/,
    remedy: /config check/,
    seed: async (dir) => {
      const { cert } = makeCertificate(join(dir, 'a'), far)
      return tlsOf({ cert, key: makeCertificate(join(dir, 'b'), far).key })
    },
  },
  {
    name: 'a private key that everybody can read',
    code: 'file_readable',
    level: 'warn',
    text: /key\.pem \(0644\)/,
    remedy: /chmod 600/,
    seed: async (dir) => {
      const files = makeCertificate(dir, far)
      chmodSync(files.key, 0o644)
      return tlsOf(files)
    },
  },
  {
    name: 'a private key for an upstream that everybody can read',
    code: 'file_readable',
    level: 'warn',
    text: /key\.pem \(0644\)/,
    remedy: /chmod 600/,
    seed: async (dir) => {
      const files = makeCertificate(dir, far)
      chmodSync(files.key, 0o644)
      const { url } = await serveTraits({ tls: files })
      return {
        networks: { main: { kind: 'evm', chainId: 7, upstreams: [{ url, tls: { ...files, ca: files.cert } }] } },
      }
    },
  },
  {
    name: 'state that everybody can read',
    code: 'file_readable',
    level: 'warn',
    text: /data\/key \(0644\)/,
    remedy: /chmod 600/,
    seed: async (dir) => {
      mkdirSync(join(dir, 'data'))
      writeFileSync(join(dir, 'data', 'key'), 'sk-secret', { mode: 0o644 })
      return { dataDir: join(dir, 'data') }
    },
  },
  {
    name: 'more connections than files may be open',
    code: 'descriptors',
    level: 'warn',
    text: /limits\.maxConnections \(1000000000\)/,
    remedy: /LimitNOFILE/,
    seed: async () => ({ limits: { maxConnections: 1_000_000_000 } }),
  },
  {
    name: 'more bytes than there is memory',
    code: 'memory',
    level: 'warn',
    text: /beyond the/,
    remedy: /lower limits\.maxHeldBytes/,
    seed: async () => ({ limits: { maxHeldBytes: 2 ** 50, maxConnections: 10 } }),
  },
  {
    name: 'an admin token that can be guessed',
    code: 'admin_token_weak',
    level: 'warn',
    text: /can be guessed/,
    remedy: /openssl rand/,
    seed: async () => ({ admin: { token: 'wayleave-changeme' } }),
  },
  {
    name: 'an admin listener that is open to the world',
    code: 'config',
    level: 'fail',
    text: /a token, as whoever reaches listen\.admin \(0\.0\.0\.0:0\) could cordon/,
    remedy: /openssl rand/,
    seed: async () => ({ admin: {}, listen: { rpc: '127.0.0.1:0', admin: '0.0.0.0:0' } }),
  },
]

function tlsOf(tls: { readonly cert: string; readonly key: string }): Json {
  return { listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', tls } }
}

/** A configuration in which nothing is wrong, but for these members. */
async function configWith(dir: string, members: Json): Promise<string> {
  const config = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    admin: { token },
    limits: { maxConnections: 10 },
    ...('networks' in members ? {} : await evm()),
    ...members,
  }
  const file = join(dir, 'wayleave.json')
  await writeFile(file, JSON.stringify(config), { mode: 0o600 })
  return file
}

interface Report {
  readonly ok: boolean
  readonly findings: readonly Finding[]
}

it('finds nothing wrong where nothing is', { timeout: 30_000 }, async () => {
  const dir = await folder()
  await (await openStores({ sqlite: join(dir, 'wayleave.sqlite') })).close()
  const before = readdirSync(dir)
  const file = await configWith(dir, { dataDir: dir, ...(await evm({}, { height: 999 })) })
  const { code, stdout, stderr } = await runWayleave(['doctor', '--config', file, '--json'])
  const { ok, findings } = JSON.parse(stdout) as Report
  expect(findings.filter(({ level }) => level !== 'ok')).toEqual([])
  expect([code, ok, stderr]).toEqual([0, true, ''])
  expect(findings.map(({ subject }) => subject.replace(/ \(.*| .*json/, ''))).toEqual(
    expect.arrayContaining([
      'listen.rpc',
      'listen.admin',
      'upstream main/upstream-1',
      'store',
      'files',
      'limits',
      'versions',
    ]),
  )
  expect(readdirSync(dir).toSorted()).toEqual([...before, 'wayleave.json'].toSorted())
})

it.for(faults)(
  'names $name, and says what to do',
  { timeout: 60_000 },
  async ({ code, level, text, remedy, seed }, { skip }) => {
    const dir = await folder()
    const seedDir = join(dir, 'seed')
    mkdirSync(seedDir)
    const members = await seed(seedDir)
    if ('skip' in members && typeof members['skip'] === 'string') return skip(members['skip'])
    const file = await configWith(dir, members as Json)
    const { code: exit, stdout, stderr } = await runWayleave(['doctor', '--config', file, '--json'])
    const report = JSON.parse(stdout) as Report
    const found = report.findings.filter((each) => each.code === code && text.test(each.text))
    expect(found, stdout).not.toEqual([])
    for (const each of found) expect(each.level, stdout).toBe(level)
    expect(found.map((each) => each.remedy).join('\n')).toMatch(remedy)
    // Nothing else fails, but for what follows from the fault.
    if (level === 'warn') {
      const others = report.findings.filter((each) => each.level === 'fail' && !each.code.startsWith('redis_'))
      expect(others).toEqual([])
    } else {
      expect([exit, report.ok]).toEqual([1, false])
    }
    expect(stdout + stderr).not.toMatch(/sk-secret|Zk3vQ8mXw2Lr7TnB5yHc|wayleave-changeme/)
  },
)
