import { expect, it } from 'vitest'
import { missingNginx } from '../rolling/nginx.ts'
import { run } from '../rolling/run.ts'

// More sockets and calls are a command: `pnpm --filter @wayleave/conformance rolling`.

it.skipIf(missingNginx() !== undefined && process.env['REQUIRE_SERVICES'] === undefined)(
  'no call fails while two replicas behind nginx are restarted, and their sockets are told 1012',
  { timeout: 120_000 },
  async () => {
    const figures = await run({ rate: 50, sockets: 20, sendMs: 1_500, delayMs: 4_000, report: () => {} })
    expect(figures).toMatchObject({ failures: [], socketFailures: [] })
    expect(Object.keys(figures.closes)).toEqual(['1012'])
    expect(figures.closes['1012']).toBeGreaterThanOrEqual(20)
    expect(figures.calls).toBeGreaterThan(50)
    expect(figures.restarts).toHaveLength(2)
    for (const { readiness, answersAfter, exitCode } of figures.restarts) {
      expect({ readiness, exitCode }).toEqual({ readiness: 503, exitCode: 0 })
      expect(answersAfter).toBeGreaterThan(0)
    }
  },
)
