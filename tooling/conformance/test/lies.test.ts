import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalogue } from '../lies/catalogue.ts'
import { broken, columns, isMislabelled, mislabelled, printTable, reasonOf, type Row } from '../lies/report.ts'
import { type Cell, runLie } from '../lies/run-lie.ts'
import { startWorld, type World } from '../lies/world.ts'

// All places and levels are run by a command: `pnpm --filter @wayleave/conformance lies`.

let world: World

beforeAll(async () => {
  world = await startWorld('lies-test')
}, 120_000)

afterAll(() => world[Symbol.asyncDispose]())

describe('under proven, with two honest upstreams of three', () => {
  it.each(catalogue.filter(({ about }) => about !== 'unproven').map((lie) => ({ ...lie, lie })))(
    'no false answer is served: $method, $name',
    { timeout: 60_000 },
    async ({ lie }) => {
      const cell = await runLie(lie, world, 'first', 'proven')
      expect(cell).toMatchObject({ served: 'true', liar: expect.stringMatching('refused|asked') })
      const second = await runLie(lie, world, 'second', 'proven')
      expect(second).toMatchObject({ served: 'true' })
      expect([cell, second].some((each) => isMislabelled(lie, each))).toBe(false)
    },
  )

  it.each(catalogue.filter(({ about }) => about === 'unproven').map((lie) => ({ ...lie, lie })))(
    'an answer that nothing proves says so: $method, $name',
    { timeout: 60_000 },
    async ({ lie }) => {
      expect(await runLie(lie, world, 'first', 'proven')).toMatchObject({ mark: 'unchecked' })
      expect(await runLie(lie, world, 'second', 'proven')).toMatchObject({ mark: 'unchecked' })
    },
  )
})

describe('under proven, with one upstream', () => {
  it.each(catalogue.map((lie) => ({ ...lie, lie })))(
    'no answer says that it is proven: $method, $name',
    { timeout: 60_000 },
    async ({ lie }) => {
      const cell = await runLie(lie, world, 'alone', 'proven')
      expect(isMislabelled(lie, cell)).toBe(false)
      expect(cell.mark).not.toBe('proven')
    },
  )
})

describe('the rig', () => {
  it('notices lies that nothing refutes, and has a reason for each cell', async () => {
    const lie = catalogue.find(({ name }) => name === 'another status')!
    expect(await runLie(lie, world, 'first', 'consistent')).toEqual({
      served: 'false',
      liar: 'asked',
      mark: 'consistent',
    })
    expect(await runLie(catalogue[0]!, world, 'alone', 'proven')).toEqual({
      served: 'error',
      liar: 'refused',
      mark: null,
    })
    const cells = Object.fromEntries(
      columns.map((name): [string, Cell] => [name, { served: 'false', liar: 'asked', mark: 'proven' }]),
    ) as Row['cells']
    expect(broken([{ lie, cells }])).toHaveLength(1)
    expect(mislabelled([{ lie, cells }])).toHaveLength(1)
    expect(isMislabelled(lie, { served: 'true', liar: 'asked', mark: null })).toBe(true)
    expect(printTable([{ lie, cells }], '2026-01-01')).toContain('nobody contradicts it')
    expect(reasonOf('proven first', { served: 'true', liar: 'asked', mark: 'proven' })).toBe(
      'true: the lie waited, another proved',
    )
  })
})
