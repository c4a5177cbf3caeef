import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, ConfigError, diffConfig, inspectConfig, type ReloadReport } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { createReloader, type Reload } from '../src/reloader.ts'

interface Rig {
  readonly reload: Reload
  /** The lines of the log. */
  readonly lines: { readonly level: string; readonly fields: Record<string, unknown>; readonly text: string }[]
  readonly applied: Config[]
  readonly read: ReadonlyMap<string, string>[]
  readonly file: string
  write(text: string): Promise<void>
}

const yaml = (chainId: number | string, more = ''): string =>
  `networks:\n  one: { kind: evm, chainId: ${chainId}, upstreams: ['https://node.example.org/S3CR3T'] }\n${more}`

async function rig(apply?: (next: Config) => Promise<ReloadReport>): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-reload-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'config.yaml')
  const [lines, applied, read]: [Rig['lines'], Config[], ReadonlyMap<string, string>[]] = [[], [], []]
  const line =
    (level: string) =>
    (...args: unknown[]): void => {
      const [fields, text] = args.length === 1 ? [{}, args[0]] : args
      lines.push({ level, fields: fields as Record<string, unknown>, text: text as string })
    }
  let before = {
    networks: { one: { kind: 'evm', chainId: 1, upstreams: ['https://node.example.org/S3CR3T'] } },
  } as Config
  const serve = (next: Config): Promise<ReloadReport> => {
    const diff = diffConfig(before, next)
    before = next
    applied.push(next)
    return Promise.resolve({ diff, applied: true, problems: [] })
  }
  let generation = 0
  const reload = createReloader({
    configFile: file,
    inspect: () => inspectConfig(file, {}, { generation: ++generation }),
    apply: apply ?? serve,
    onRead: (files) => read.push(files),
    log: { info: line('info'), warn: line('warn'), error: line('error') },
  })
  await writeFile(file, yaml(1))
  return { reload, lines, applied, read, file, write: (text) => writeFile(file, text) }
}

it('reads the file again, has it served, and logs the difference without secrets', async () => {
  const { reload, lines, applied, read, file, write } = await rig()
  await write(yaml(5, 'onlyLocal: true\n').replace('S3CR3T', 'S3CR3T-2'))
  expect(await reload()).toMatchObject({ applied: true, problems: [], diff: { networks: { changed: ['one'] } } })
  expect(applied).toHaveLength(1)
  expect([...read[0]!.keys()]).toEqual([file])
  const changes = [
    'networks.one.chainId changes from 1 to 5',
    'networks.one.upstreams[0].url changes',
    'onlyLocal is set to true',
  ]
  const warnings = [expect.stringContaining(`${file}:2:33: networks.one.upstreams: expected a ws or wss URL`)]
  expect(lines).toEqual([
    { level: 'info', fields: { count: 3, changes }, text: 'the configuration was reloaded' },
    {
      level: 'warn',
      fields: { count: 1, warnings },
      text: 'the configuration is served, and holds what is probably not meant',
    },
  ])
})

it('changes nothing for a file with mistakes, and tells them each time, with their lines', async () => {
  const { reload, lines, applied, file, write } = await rig()
  await write(yaml('S3CR3T'))
  const report = await reload()
  expect(report).toMatchObject({ applied: false, problems: [{ path: 'networks.one.chainId', line: 2 }] })
  expect(applied).toEqual([])
  expect(lines).toEqual([
    {
      level: 'warn',
      fields: {
        count: 1,
        problems: [expect.stringContaining(`${file}:2:30: networks.one.chainId: expected a chain id`)],
      },
      text: 'the configuration stays as it was: the new one cannot be served',
    },
  ])
  await reload()
  await write(yaml(1))
  await reload()
  await write(yaml('S3CR3T'))
  await reload()
  expect(lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'info', 'warn', 'warn'])
})

it('reads once for all that ask while it reads, and once more for those that ask later', async () => {
  let release = (): void => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  let calls = 0
  const { reload, read } = await rig(async () => {
    calls++
    await held
    return { diff: diffConfig({ networks: {} }, { networks: {} }), applied: true, problems: [] }
  })
  const first = reload()
  await expect.poll(() => calls).toBe(1)
  const later = [reload(), reload(), reload()]
  expect(new Set(later).size).toBe(1)
  expect(calls).toBe(1)
  release()
  await Promise.all([first, ...later])
  expect([calls, read.length]).toEqual([2, 2])
})

it('tells what kept a configuration from being opened, and goes on', async () => {
  let thrown: Error = new ConfigError([{ path: 'store', expected: 'a database', got: 'none' }])
  const { reload, lines } = await rig(() => Promise.reject(thrown))
  expect(await reload()).toMatchObject({ applied: false, problems: [{ path: 'store' }] })
  thrown = new Error('a bug with a S3CR3T')
  const { problems } = await reload()
  expect(problems).toEqual([
    { path: '', expected: 'a configuration that can be opened', got: 'a failure, which the log tells' },
  ])
  expect(lines.map(({ level }) => level)).toEqual(['warn', 'error', 'warn'])
})
