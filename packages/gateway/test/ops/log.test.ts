import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it.skipIf(!existsSync('/dev/full'))('a full disk behind stderr costs lines, and not the process', async () => {
  const source = fileURLToPath(new URL('../../src/ops/log.ts', import.meta.url))
  const script = `import { createLog } from ${JSON.stringify(source)}
    const log = createLog({ level: 'warn' })
    for (let i = 0; i < 3; i++) log.warn({ i }, 'lost')
    setTimeout(() => console.log('still here'), 50)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', openSync('/dev/full', 'w')],
  })
  const closed = once(child, 'close')
  expect(await text(child.stdout!)).toBe('still here\n')
  expect(await closed).toEqual([0, null])
})
