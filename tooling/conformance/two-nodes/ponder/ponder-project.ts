import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isProgram, run } from '../../src/peers/peer.ts'

/** The releases that the project was written for. */
const packages = ['ponder@0.16.10', 'viem@2.57.20', 'hono@4', 'typescript@5']

/** Installs Ponder in a folder by npm, unless it is there. Resolves with the reason where it cannot be had. */
export async function providePonder(folder: string, report: (line: string) => void): Promise<string | undefined> {
  if (isProgram(programIn(folder))) return undefined
  report(`installing ${packages[0]} in ${folder}`)
  try {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}\n')
    await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder })
    return undefined
  } catch (thrown) {
    return `it could not be installed: ${(thrown as Error).message}`
  }
}

export const programIn = (folder: string): string => join(folder, 'node_modules', '.bin', 'ponder')

/** The project's files: each block, and each event of one contract, becomes a row. */
const files: Readonly<Record<string, string>> = {
  'package.json': '{"private":true,"type":"module"}\n',
  'ponder.config.ts': `
import { createConfig } from 'ponder'
const { RIG_URL, RIG_CHAIN_ID, RIG_CONTRACT, RIG_DATABASE } = process.env
const inputs = [
  { name: 'by', type: 'address', indexed: true },
  { name: 'value', type: 'uint256', indexed: false },
]
export default createConfig({
  database: { kind: 'pglite', directory: RIG_DATABASE },
  chains: { main: { id: Number(RIG_CHAIN_ID), rpc: RIG_URL } },
  blocks: { Every: { chain: 'main', interval: 1, startBlock: 1 } },
  contracts: {
    Store: { chain: 'main', address: RIG_CONTRACT, startBlock: 1, abi: [{ type: 'event', name: 'Stored', inputs }] },
  },
})
`,
  'ponder.schema.ts': `
import { onchainTable } from 'ponder'
export const block = onchainTable('block', (t) => ({ number: t.bigint().primaryKey(), hash: t.hex().notNull() }))
export const stored = onchainTable('stored', (t) => ({
  id: t.text().primaryKey(),
  number: t.bigint().notNull(),
  value: t.bigint().notNull(),
}))
`,
  'src/index.ts': `
import { ponder } from 'ponder:registry'
import schema from 'ponder:schema'
ponder.on('Every:block', async ({ event, context }) => {
  await context.db.insert(schema.block).values({ number: event.block.number, hash: event.block.hash })
})
ponder.on('Store:Stored', async ({ event, context }) => {
  const { id, args, block } = event
  await context.db.insert(schema.stored).values({ id, number: block.number, value: args.value })
})
`,
  'src/api/index.ts': `
import { Hono } from 'hono'
import { asc, lte, max } from 'ponder'
import { db } from 'ponder:api'
import schema from 'ponder:schema'
const app = new Hono()
app.get('/rows/:number', async (c) => {
  const number = BigInt(c.req.param('number'))
  const [last] = await db.select({ number: max(schema.block.number) }).from(schema.block)
  const blocks = await db.select().from(schema.block).where(lte(schema.block.number, number)).orderBy(asc(schema.block.number))
  const events = await db.select().from(schema.stored).where(lte(schema.stored.number, number)).orderBy(asc(schema.stored.id))
  return c.json({
    last: Number(last.number),
    blocks: blocks.map((row) => row.number + ' ' + row.hash),
    events: events.map((row) => [row.id, row.number, row.value].join(' ')),
  })
})
export default app
`,
}

/** Writes the project into `root`, with the packages of the folder that {@link providePonder} filled. */
export async function writeProject(root: string, folder: string): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), text.trimStart())
  }
  await symlink(join(folder, 'node_modules'), join(root, 'node_modules'))
}
