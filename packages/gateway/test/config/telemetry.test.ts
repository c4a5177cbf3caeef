import { describe, expect, it } from 'vitest'
import { problemPaths, warningPaths } from './report.ts'

const networks = { main: { kind: 'evm', chainId: 1, upstreams: ['wss://a.example'] } }

describe('log and metrics of a configuration', () => {
  it.each([
    [{ level: 'debug', format: 'text', access: { sample: 0.01 } }],
    [{ level: 'silent' }],
    [{ access: {} }],
    [{}],
  ])('take %j', async (log) => {
    expect(await problemPaths({ networks, log, metrics: { maxProjects: 0 } })).toEqual([])
  })

  it.each([
    [{ level: 'trace' }, 'log.level'],
    [{ format: 'logfmt' }, 'log.format'],
    [{ access: { sample: 1.5 } }, 'log.access.sample'],
    [{ access: { sample: -0.1 } }, 'log.access.sample'],
    [{ access: true }, 'log.access'],
    [{ file: 'a' }, 'log.file'],
  ])('refuse %j by its place', async (log, path) => {
    expect(await problemPaths({ networks, log })).toEqual([path])
  })

  it('warn of an access log whose lines no level lets pass', async () => {
    const warned = (log?: object): Promise<readonly string[]> => warningPaths({ networks, log })
    expect(await warned({ level: 'warn', access: { sample: 1 } })).toEqual(['log.level'])
    expect(await warned({ level: 'info', access: { sample: 1 } })).toEqual([])
    expect(await warned({ level: 'warn', access: { sample: 0 } })).toEqual([])
    expect(await warned()).toEqual([])
  })
})
