import { expect, it } from 'vitest'
import { run } from '../reload/run.ts'

it(
  'a proxy that is reloaded under load, half of the times with a mistake, fails no call and drops no socket',
  { timeout: 120_000 },
  async () => {
    const figures = await run({ reloads: 8, rate: 50, sockets: 10, everyMs: 100, report: () => {} })
    expect(figures).toMatchObject({
      failures: [],
      dropped: 0,
      wrongHeads: 0,
      applied: 4,
      refused: 4,
      wrongOutcomes: [],
      socketsOf: { calm: 1, steady: 1 },
      reopened: 0,
    })
    expect(figures.calls).toBeGreaterThan(50)
    expect(figures.heads).toBeGreaterThan(10)
    expect(figures.keysUsed).toBeGreaterThan(2)
    for (const { held, resident } of figures.memory) expect(resident).toBeGreaterThan(held)
  },
)
