import { expect, it } from 'vitest'
import { startAnvilWorld } from '../writes/anvil.ts'
import { ways } from '../writes/faulty-node.ts'
import { type Ledger, startModel } from '../writes/ledger.ts'
import { printTable } from '../writes/report.ts'
import { nodes, run } from '../writes/run.ts'
import { prepareMany } from '../writes/transactions.ts'

// 10,000 are sent by a command: `pnpm --filter @wayleave/conformance writes`.

it.each([1, 2])(
  'whatever nodes do, a transaction has its hash or a true error, with broadcast %i',
  { timeout: 120_000 },
  async (broadcast) => {
    const transactions = await prepareMany(400)
    await using ledger = startModel(nodes, transactions)
    const result = await run({
      name: 'model',
      broadcast,
      chainId: 1,
      ledger,
      rows: transactions.map((each) => [each]),
      seed: 3,
    })
    expect(result.broken).toEqual([])
    expect(result.reported.hash).toBeGreaterThan(100)
    expect(result.reported.hash + result.reported.doubt + result.reported.failed).toBe(400)
    expect(result.looks).toBeGreaterThan(0)
    expect([...result.gone.keys()].toSorted()).toEqual(Object.keys(ways).toSorted())
    expect(printTable([result], '2026-01-01')).toContain(`model, broadcast ${broadcast}`)
  },
)

it('the same holds over anvil', { timeout: 120_000 }, async () => {
  await using world = await startAnvilWorld(40)
  const { rows, chainId, fill: onMissed } = world
  const result = await run({ name: 'anvil', broadcast: 2, chainId, ledger: world, rows, onMissed, seed: 5 })
  expect([result.broken, result.sent]).toEqual([[], 40])
})

it('the rig notices what is reported as failed and is mined', { timeout: 120_000 }, async () => {
  const transactions = await prepareMany(60)
  await using honest = startModel(nodes, transactions)
  const ledger: Ledger = {
    ...honest,
    // A node that takes a transaction, and says that it does not.
    async send(transaction, node) {
      await honest.send(transaction, node)
      return { error: { code: -32000, message: 'transaction underpriced' } }
    },
  }
  const result = await run({
    name: 'model',
    broadcast: 1,
    chainId: 1,
    ledger,
    rows: transactions.map((each) => [each]),
    seed: 3,
  })
  expect(result.broken.some((sentence) => sentence.endsWith('was reported as failed, and is mined'))).toBe(true)
})
