import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folder, type Run } from '../helpers.ts'
// @boundaries-ignore The programs as tests start them.
import { bundlePrograms } from '../../../../vitest.bundle.ts'

const { cli: main } = await bundlePrograms()

/** Runs the command in a folder. */
function runIn(cwd: string, ...args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=@wayleave/source', main, ...args], { cwd }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

const right = '{"networks":{"main":{"kind":"evm","chainId":1,"upstreams":["wss://a.example"]}}}'

it('check, diff and serve take the configuration of the current folder', async () => {
  const cwd = await folder()
  await writeFile(join(cwd, 'wayleave.config.json'), right)
  const checked = await runIn(cwd, 'config', 'check')
  expect(checked).toMatchObject({ code: 0, stderr: '' })
  expect(checked.stdout).toMatch(/^wayleave\.config\.json can be served\n/)
  await writeFile(join(cwd, 'next.json'), right.replace('"main"', '"mainnet"'))
  const lines = '+ networks.mainnet is added\n- networks.main is removed\n'
  const differ = await runIn(cwd, 'config', 'diff', 'next.json')
  expect({ ...differ, stdout: differ.stdout.split('\n').toSorted() }).toEqual({
    code: 1,
    stdout: lines.split('\n').toSorted(),
    stderr: '2 differences: a reload would take them\n',
  })
  expect(await runIn(cwd, 'config', 'diff', '--config', 'next.json', 'next.json')).toMatchObject({ code: 0 })
  await writeFile(join(cwd, 'wayleave.config.json'), '{}')
  expect((await runIn(cwd, 'serve')).stderr).toMatch(/^wayleave\.config\.json:1:1: networks: expected /)
  await writeFile(join(cwd, 'wayleave.config.yaml'), '{}')
  expect(await runIn(cwd, 'config', 'check')).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'wayleave config: check: expected one configuration in this folder, got wayleave.config.yaml and wayleave.config.json: name it with --config FILE\nwayleave config check --help tells more.\n',
  })
})

it('where there is none, they say how to make one', async () => {
  const cwd = await folder()
  const words =
    'there is no wayleave.config.ts, .yaml, .yml or .json in this folder: name a file with --config FILE, make one with wayleave config init, or serve a node without one by wayleave serve --upstream URL\n'
  expect(await runIn(cwd, 'serve')).toEqual({
    code: 2,
    stdout: '',
    stderr: `wayleave serve: ${words}wayleave serve --help tells more.\n`,
  })
  expect((await runIn(cwd, 'config', 'check')).stderr).toContain(words)
})
