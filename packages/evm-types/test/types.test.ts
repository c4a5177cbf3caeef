import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('schemas and methods of a wrong type do not compile', () => {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const project = fileURLToPath(new URL('tsconfig.json', import.meta.url))
  const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', project, '--listFiles'], { encoding: 'utf8' })
  const lines = stdout.split('\n')
  expect(lines.filter((line) => line.includes('error TS'))).toEqual([])
  expect(lines.some((line) => line.endsWith('types.test-d.ts'))).toBe(true)
  expect(status).toBe(0)
})
