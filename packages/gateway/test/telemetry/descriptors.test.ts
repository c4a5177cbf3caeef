import { createLog } from '@wayleave/gateway'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import { watchDescriptors } from '../../src/telemetry/descriptors.ts'

it('tells that no descriptor is free, and what to do, once a minute at most', async () => {
  const lines: string[] = []
  const clock = new FakeClock()
  const log = createLog({ level: 'warn', clock, destination: { write: (line) => void lines.push(line) } })
  let code: string | undefined
  let probes = 0
  const stop = watchDescriptors({
    clock,
    log,
    async probe() {
      probes++
      if (code !== undefined) throw Object.assign(new Error(code), { code })
    },
  })
  const pass = async (seconds: number): Promise<void> => {
    for (let i = 0; i < seconds; i += 5) {
      clock.advance(5_000)
      await new Promise(setImmediate)
    }
  }
  await pass(10)
  expect([probes, lines]).toEqual([2, []])
  code = 'EMFILE'
  await pass(60)
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 50, code, msg: expect.stringContaining('ulimit -n') as string })
  code = 'ENFILE'
  await pass(60)
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain('fs.file-max')
  stop()
  expect(clock.timers).toBe(0)
})

it('takes a real descriptor and gives it back', async () => {
  const lines: string[] = []
  const clock = new FakeClock()
  const log = createLog({ level: 'warn', clock, destination: { write: (line) => void lines.push(line) } })
  const stop = watchDescriptors({ clock, log })
  clock.advance(5_000)
  while (clock.timers === 0) await new Promise(setImmediate)
  stop()
  expect(lines).toEqual([])
})
