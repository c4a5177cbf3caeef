import { mkdtemp, rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoresOptions } from '@wayleave/stores'
import { describe, expect, it, onTestFinished } from 'vitest'
import { basic, refusedUrl, sleep } from '../support.ts'
import { cidOf, type PinNode, startPinNode } from './pin-node.ts'
import { type GatewayProcess, startGatewayProcess } from './processes.ts'
import { isRequired, missingPostgres, queryPostgres, freshDatabase } from './servers.ts'

/** Pins and unpins that are raced: RACED_PINS=10000 for the whole measure. */
const rounds = Number(process.env['RACED_PINS'] ?? 120)
const projects = ['a', 'b', 'c', 'd']
const contents = Array.from({ length: 6 }, (_, i) => `content-${i}`)
const key = (project: string): string => `key-of-project-${project}`
const secret = 'a-secret-of-many-letters'

type Query = (statement: string) => Promise<readonly Record<string, unknown>[]>

interface Database {
  readonly store: StoresOptions
  readonly query: Query
}

async function openPostgres(): Promise<Database> {
  const postgres = await freshDatabase()
  return { store: { postgres }, query: (statement) => queryPostgres(postgres, statement) }
}

async function openSqlite(): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-kubo-pins-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const sqlite = join(folder, 'pins.sqlite')
  const query: Query = async (statement) => {
    const database = new DatabaseSync(sqlite, { timeout: 5_000 })
    try {
      return database.prepare(statement).all()
    } finally {
      database.close()
    }
  }
  return { store: { sqlite }, query }
}

/** The same numbers each time. */
function createRandom(): () => number {
  let state = 7
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

async function openGateway(store: StoresOptions, node: PinNode): Promise<GatewayProcess> {
  return startGatewayProcess({
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', ipfs: '127.0.0.1:0' },
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [await refusedUrl()], followHeads: false } },
    store,
    ipfs: { backend: 'kubo', url: node.url },
    projects: projects.map((name) => ({ name, keys: [{ key: key(name), secret }] })),
  })
}

/** Calls a gateway: true if it was acknowledged, undefined if that is not known. */
async function ask(gateway: GatewayProcess, project: string, command: string, content?: string) {
  const body = new FormData()
  if (content !== undefined) body.append('file', new Blob([content]))
  const headers = { authorization: basic(key(project), secret) }
  try {
    const response = await fetch(`${gateway.ipfs}/api/v0/${command}`, { method: 'POST', headers, body })
    const text = await response.text()
    return response.status === 200 && !text.includes('"Message"') ? true : undefined
  } catch {
    return undefined
  }
}

/** Ends the leases that a gateway left when it was killed: those of the living last for some milliseconds. */
async function expireLeases(query: Query): Promise<void> {
  const read = async (): Promise<string[]> =>
    (await query('select holder from pin_leases')).map(({ holder }) => String(holder))
  const before = await read()
  await sleep(1_000)
  const left = (await read()).filter((holder) => before.includes(holder))
  if (left.length === 0) return
  await query(`update pin_leases set expires_at = 0 where holder in (${left.map((text) => `'${text}'`).join()})`)
}

async function race({ store, query }: Database): Promise<void> {
  const random = createRandom()
  const node = await startPinNode(6, random)
  onTestFinished(() => node.close())
  const gateways = await Promise.all([openGateway(store, node), openGateway(store, node)])
  onTestFinished(async () => void (await Promise.all(gateways.map((gateway) => gateway.kill()))))
  const [missing, kept]: [string[], Set<string>] = [[], new Set()]
  let [done, acknowledged] = [0, 0]

  /** Pins and unpins one content for one project on and on. */
  async function work(project: string, content: string): Promise<void> {
    const cid = cidOf(content)
    while (done < rounds) {
      done++
      const pick = (): GatewayProcess => gateways[random() < 0.5 ? 0 : 1]!
      const isPinned =
        random() < 0.5 ? await ask(pick(), project, 'add', content) : await ask(pick(), project, `pin/add?arg=${cid}`)
      if (isPinned === true) {
        acknowledged++
        kept.add(`${project} ${cid}`)
        if (!node.pins.has(cid)) missing.push(`${done}: ${project} ${content}`)
        await sleep(random() * 4)
        if (!node.pins.has(cid)) missing.push(`${done}, later: ${project} ${content}`)
      }
      if (random() < 0.15) continue
      kept.delete(`${project} ${cid}`)
      await ask(pick(), project, `pin/rm?arg=${cid}`)
    }
  }

  async function kill(): Promise<void> {
    for (const part of [0.3, 0.6]) {
      await expect.poll(() => done, { interval: 5, timeout: 500_000 }).toBeGreaterThanOrEqual(rounds * part)
      const at = part < 0.5 ? 0 : 1
      await gateways[at]!.kill()
      await expireLeases(query)
      gateways[at] = await openGateway(store, node)
    }
  }

  await Promise.all([kill(), ...projects.flatMap((project) => contents.map((content) => work(project, content)))])
  expect(missing).toEqual([])
  // Each of the two kills costs the calls in flight, one of each worker.
  expect(acknowledged).toBeGreaterThan(rounds / 2 - projects.length * contents.length)

  // A node that has lost a pin gets it back from the next gateway that starts, and what died half way is settled.
  const wanted = new Set([...kept].map((row) => row.split(' ')[1]!))
  for (const cid of wanted) expect(node.pins.keys()).toContain(cid)
  node.pins.delete([...wanted][0] ?? '')
  await Promise.all(gateways.map((gateway) => gateway.kill()))
  await query('update pin_leases set expires_at = 0')
  gateways[0] = await openGateway(store, node)
  await expect.poll(async () => (await query('select cid from pin_leases')).length, { timeout: 20_000 }).toBe(0)
  const rows = new Set((await query('select distinct cid from pins')).map(({ cid }) => String(cid)))
  for (const cid of wanted) expect(rows).toContain(cid)
  await expect.poll(() => [...rows].filter((cid) => !node.pins.has(cid)), { timeout: 20_000 }).toEqual([])
}

describe('no pin that was acknowledged is lost where two gateways race at one Kubo and are killed', () => {
  it('over an SQLite file', { timeout: 300_000 }, async () => race(await openSqlite()))

  it.skipIf(!isRequired && missingPostgres() !== undefined)('over PostgreSQL', { timeout: 600_000 }, async () =>
    race(await openPostgres()),
  )
})
