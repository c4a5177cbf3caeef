import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findConfigFile, inspectConfig } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'

async function folderOf(...names: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-default-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const name of names) await writeFile(join(folder, name), '{}')
  return folder
}

it.each(['wayleave.config.ts', 'wayleave.config.yaml', 'wayleave.config.yml', 'wayleave.config.json'])(
  'the configuration of a folder is its %s',
  async (name) => {
    const folder = await folderOf(name, 'wayleave.config.md')
    expect(await findConfigFile(folder)).toEqual({ file: join(folder, name) })
  },
)

it('a folder without one is told what to do', async () => {
  expect(await findConfigFile(await folderOf())).toEqual({
    problem:
      'there is no wayleave.config.ts, .yaml, .yml or .json in this folder: name a file with --config FILE, make one with wayleave config init, or serve a node without one by wayleave serve --upstream URL',
  })
})

it('of several none is chosen', async () => {
  const folder = await folderOf('wayleave.config.ts', 'wayleave.config.json')
  expect(await findConfigFile(folder)).toEqual({
    problem: `expected one configuration in this folder, got ${folder}/wayleave.config.ts and ${folder}/wayleave.config.json: name it with --config FILE`,
  })
})

it('a file may name its schema for editors', async () => {
  const folder = await folderOf()
  const file = join(folder, 'a.json')
  const config = { networks: { main: { kind: 'evm', chainId: 1, upstreams: ['wss://a.example'] } } }
  await writeFile(file, JSON.stringify({ $schema: './config.schema.json', ...config }))
  expect(await inspectConfig(file, {})).toMatchObject({ problems: [], config })
})
