import { type Config, createLog, realSurroundings } from '@wayleave/gateway'
import { expect, it } from 'vitest'
import { refusedUrl, send, startTestGateway } from '../../support.ts'

/** Starts a gateway of so much memory. Returns the bound of its cache, and the warnings in its log. */
async function openWith(cache: Exclude<Config['cache'], undefined>, memoryBytes: number) {
  const messages: string[] = []
  const destination = { write: (line: string) => void messages.push((JSON.parse(line) as { msg: string }).msg) }
  const log = createLog({ level: 'warn', destination })
  const surroundings = { ...realSurroundings, memoryBytes }
  await using gateway = await startTestGateway([await refusedUrl()], { cache }, { log, surroundings })
  const { body } = await send(gateway.admin, '/metrics')
  return { maxBytes: Number(/^wayleave_cache_max_bytes (\d+)$/m.exec(body)?.[1]), messages }
}

it('is as large as the memory allows, unless it is told', async () => {
  expect((await openWith({}, 1_073_741_824)).maxBytes).toBe(67_108_864)
  expect((await openWith({}, 2 ** 40)).maxBytes).toBe(268_435_456)
  expect((await openWith({}, 8_388_608)).maxBytes).toBe(1_048_576)
  expect((await openWith({ maxBytes: 2_000_000 }, 8_388_608)).maxBytes).toBe(2_000_000)
})

it('more than half of the memory is warned of', async () => {
  const warning = 'cache.maxBytes is more than half of the memory of this process; give it less'
  expect((await openWith({ maxBytes: 2_097_152 }, 4_194_304)).messages).not.toContain(warning)
  expect((await openWith({ maxBytes: 2_097_153 }, 4_194_304)).messages).toContain(warning)
})
