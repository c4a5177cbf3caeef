import type { Server } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createLog } from '@wayleave/telemetry'
import { expect, it } from 'vitest'
import { reloadTls } from '../../src/listen/tls-reload.ts'

it('a reading of the certificate that rejects is told once, and tried again', async () => {
  const clock = new FakeClock()
  const lines: string[] = []
  let readings = 0
  const material = { cert: 'c', key: 'k', minVersion: 'TLSv1.2', ciphers: '' } as const
  const stop = reloadTls(
    {} as Server,
    {
      material,
      async read() {
        readings++
        throw new TypeError('the disk is gone')
      },
    },
    { clock, log: createLog({ level: 'warn', destination: { write: (line) => lines.push(line) } }) },
  )
  for (let i = 0; i < 3; i++) {
    clock.advance(10_000)
    await nextTurn()
  }
  stop()
  expect(readings).toBe(3)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('tls: expected files that can be read')
})
