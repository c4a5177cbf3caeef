import { describe, expect, it } from 'vitest'
import type { Config } from '@wayleave/gateway'
import { configIssues } from '../../src/config/check.ts'
import { configWarnings } from '../../src/config/warnings.ts'

const networks = { main: { kind: 'evm' as const, chainId: 1, upstreams: ['wss://a.example'] } }

describe('log and metrics of a configuration', () => {
  it.each([
    [{ level: 'debug', format: 'text', access: { sample: 0.01 } }],
    [{ level: 'silent' }],
    [{ access: {} }],
    [{}],
  ])('take %j', (log) => {
    expect(configIssues({ networks, log, metrics: { maxProjects: 0 } })).toEqual([])
  })

  it.each([
    [{ level: 'trace' }, 'log.level'],
    [{ format: 'logfmt' }, 'log.format'],
    [{ access: { sample: 1.5 } }, 'log.access.sample'],
    [{ access: { sample: -0.1 } }, 'log.access.sample'],
    [{ access: true }, 'log.access'],
    [{ file: 'a' }, 'log.file'],
  ])('refuse %j by its place', (log, path) => {
    expect(configIssues({ networks, log }).map((issue) => issue.path.join('.'))).toEqual([path])
  })

  it('warn of an access log whose lines no level lets pass', () => {
    const warned = (log: Config['log']): readonly string[] =>
      configWarnings({ networks, ...(log && { log }) }).map(({ path }) => path.join('.'))
    expect(warned({ level: 'warn', access: { sample: 1 } })).toEqual(['log.level'])
    expect(warned({ level: 'info', access: { sample: 1 } })).toEqual([])
    expect(warned({ level: 'warn', access: { sample: 0 } })).toEqual([])
    expect(warned(undefined)).toEqual([])
  })
})
