import { expect, it } from 'vitest'
import { realSurroundings } from '../../../src/defaults.ts'
import { createLog } from '@wayleave/telemetry'
import { createMetrics } from '../../../src/telemetry/metrics.ts'
import { openCache } from '../../../src/answers/open-cache.ts'

it('more than half of the memory is warned of', async () => {
  const messages: string[] = []
  const destination = { write: (line: string) => void messages.push((JSON.parse(line) as { msg: string }).msg) }
  const log = createLog({ level: 'info', destination })
  const { clock } = realSurroundings
  for (const maxBytes of [2_097_152, 2_097_153]) {
    const cache = await openCache({ cache: { maxBytes } }, 4_194_304, { metrics: createMetrics(), clock, log })
    await cache!.close()
  }
  expect(messages).toEqual(['cache.maxBytes is more than half of the memory of this process; give it less'])
})
