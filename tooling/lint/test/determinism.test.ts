import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

const banned: readonly string[] = [
  'export const x = Date.now()',
  'export const x = new Date()',
  'export const x = globalThis.Date.now()',
  'export const x = performance.now()',
  'export const x = process.hrtime.bigint()',
  'export const x = process.uptime()',
  'export const x = Math.random()',
  'export const { random } = Math',
  'export const x = globalThis.Math.random()',
  'export const x = setTimeout(() => {}, 1)',
  'export const x = globalThis.setTimeout(() => {}, 1)',
  'export const x = setInterval(() => {}, 1)',
  'export const x = setImmediate(() => {})',
  'export const x = AbortSignal.timeout(1)',
  'export const x = crypto.randomUUID()',
  'export const x = crypto.getRandomValues(new Uint8Array(1))',
  'export const x = crypto.subtle',
  'export const x = globalThis.crypto.subtle',
  'export const x = new WeakRef({})',
  'export const x = new FinalizationRegistry(() => {})',
  `import { randomUUID } from 'node:crypto'\nexport const x = randomUUID()`,
  `import { randomBytes } from 'node:crypto'\nexport const x = randomBytes(1)`,
  `import { randomInt } from 'node:crypto'\nexport const x = randomInt(1)`,
  `import { webcrypto } from 'node:crypto'\nexport const x = webcrypto`,
  `import nodeCrypto from 'node:crypto'\nexport const x = nodeCrypto`,
  `import * as nodeCrypto from 'node:crypto'\nexport const x = nodeCrypto`,
  `import { setTimeout as wait } from 'node:timers/promises'\nexport const x = wait(1)`,
  `import { setTimeout as later } from 'node:timers'\nexport const x = later(() => {}, 1)`,
  `import { performance as timer } from 'node:perf_hooks'\nexport const x = timer.now()`,
]
const allowed: readonly string[] = [
  'export const x = Math.max(1, 2)',
  `import { createHash, timingSafeEqual } from 'node:crypto'\nexport const x = [createHash, timingSafeEqual]`,
  'export const x = (performance: { now(): number }) => performance.now()',
  'export const x = new WeakMap()',
]
const rules = ['no-restricted-globals', 'no-restricted-imports', 'no-restricted-properties']

describe('the determinism bans', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wayleave-lint-'))
  const found = new Map<string, string[]>()
  let files = 0

  beforeAll(() => {
    copyFileSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
    const write = (file: string, code: string) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), `${code}\n`)
    }
    for (const [index, code] of banned.entries()) {
      write(`packages/sample/src/banned-${index}.ts`, code)
      write(`apps/sample/src/deep/banned-${index}.ts`, code)
      write(`packages/sample/src/${index}/defaults.ts`, code)
      write(`packages/sample/test/banned-${index}.ts`, code)
    }
    for (const [index, code] of allowed.entries()) write(`packages/sample/src/allowed-${index}.ts`, code)

    const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
    const { stdout } = spawnSync(process.execPath, [oxlint, '--format', 'json'], { cwd: folder, encoding: 'utf8' })
    const report = JSON.parse(stdout) as { diagnostics: { filename: string; code: string }[]; number_of_files: number }
    files = report.number_of_files
    for (const { filename, code } of report.diagnostics) {
      const rule = rules.find((name) => code.includes(name))
      if (rule) found.set(filename, [...(found.get(filename) ?? []), rule])
    }
  })

  afterAll(() => rmSync(folder, { recursive: true }))

  it.each(banned.map((code, index) => [code, index] as const))(
    'refuse `%s` in the sources of packages and apps',
    (_, index) => {
      expect(found.get(`packages/sample/src/banned-${index}.ts`)).toHaveLength(1)
      expect(found.get(`apps/sample/src/deep/banned-${index}.ts`)).toHaveLength(1)
    },
  )

  it('allow all of it in defaults.ts and in tests', () => {
    expect(files).toBe(banned.length * 4 + allowed.length)
    expect([...found.keys()].filter((file) => /defaults|\/test\//.test(file))).toEqual([])
  })

  it('leave what is deterministic alone', () => {
    expect([...found.keys()].filter((file) => file.includes('allowed'))).toEqual([])
  })
})
