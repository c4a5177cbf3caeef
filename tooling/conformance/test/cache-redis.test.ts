import { expect, it } from 'vitest'
import { faults } from '../cache-redis/faults.ts'
import { missingRedis, startRedis } from '../cache-redis/redis.ts'
import { runPhase } from '../cache-redis/run-phase.ts'

// All phases, with the bar on times: `pnpm --filter @wayleave/conformance cache-redis`.

const isOptional = process.env['REQUIRE_SERVICES'] === undefined
/** A wait that a busy machine does not exceed. */
const long = 1_000

it.skipIf(isOptional && missingRedis() !== undefined)(
  'no call fails and no answer is wrong while the Redis behind the cache is killed, stopped, full or spoilt',
  { timeout: 60_000 },
  async () => {
    await using redis = await startRedis()
    const run = (name: string, waitMs: number) => {
      const fault = faults.find((each) => each.name === name)!
      return runPhase({ redis, fault, seconds: 1.5, callsPerSecond: 200, seed: 1, waitMs })
    }
    const well = await run('well', long)
    expect(well).toMatchObject({ failed: 0, wrong: 0 })
    expect(well.shared).toBeGreaterThan(0)
    for (const [name, waitMs] of [
      ['killed and started again', 2],
      ['stopped (SIGSTOP) and continued', 2],
      ['full, refuses writes', long],
      ['every value spoilt again and again', long],
    ] as const) {
      expect(await run(name, waitMs)).toMatchObject({
        failed: 0,
        wrong: 0,
        calls: expect.toSatisfy((calls) => calls > 50),
      })
    }
  },
)
