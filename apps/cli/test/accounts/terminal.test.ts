import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import type { CommandIo } from '../../src/command.ts'
import { run } from '../../src/run.ts'
import { file, type Run, runWayleave } from '../helpers.ts'
import { makePlace } from './helpers.ts'

/** The command in this process, on a terminal where somebody types `typed`. */
async function onTerminal(args: readonly string[], typed = ''): Promise<Run> {
  let [stdout, stderr] = ['', '']
  const tty = () => Object.assign(new Writable(), { isTTY: true })
  // The rest of a terminal's input never ends.
  const stdin = Object.assign(new Readable({ read() {} }), { isTTY: true })
  stdin.push(typed)
  const io: CommandIo = {
    stdout: (text) => void (stdout += text),
    stderr: (text) => void (stderr += text),
    env: {},
    process: Object.assign(new EventEmitter(), { stdin, stdout: tty(), stderr: tty() }) as unknown as NodeJS.Process,
  }
  return { code: await run(args, io), stdout, stderr }
}

async function shop(): Promise<readonly string[]> {
  const { configFile, remove } = await makePlace()
  onTestFinished(remove)
  const flags = ['--config', configFile]
  expect((await runWayleave(['projects', 'create', 'shop', ...flags])).code).toBe(0)
  expect((await runWayleave(['keys', 'create', 'shop', '--id', 'k1', '--label', 'web', ...flags])).code).toBe(0)
  return flags
}

it('a terminal asks before a key is revoked, and anything but yes leaves it', async () => {
  const flags = await shop()
  for (const typed of ['n\n', '\n', 'yess\n']) {
    const refused = await onTerminal(['keys', 'revoke', 'shop', 'k1', ...flags], typed)
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      1,
      '',
      expect.stringMatching(
        /^Revoke key k1 \(web, ….{4}\) of project shop for good\? \[y\/N\] wayleave keys revoke: nothing was changed\n$/,
      ),
    ])
  }
  const done = await onTerminal(['keys', 'revoke', 'shop', 'k1', ...flags], 'y\n')
  expect([done.code, done.stderr]).toEqual([0, expect.stringMatching(/revoked key k1 of project shop\n$/)])
  expect((await runWayleave(['keys', 'list', 'shop', ...flags])).stdout).toBe('')
})

it('a terminal asks before apply removes something, behind its plan', async () => {
  const flags = await shop()
  const state = await file('none.yaml', 'plans: []\nprojects: []\n')
  const refused = await onTerminal(['apply', state, ...flags], 'no\n')
  expect([refused.code, stripVTControlCharacters(refused.stdout)]).toEqual([1, '- project shop\n'])
  expect(refused.stderr).toBe(
    '0 to add, 0 to change, 1 to remove. Make them? [y/N] wayleave apply: nothing was changed\n',
  )
  expect((await onTerminal(['apply', state, ...flags], 'yes\n')).code).toBe(0)
})

it('a terminal gets tables', async () => {
  const flags = await shop()
  const { stdout } = await onTerminal(['keys', 'list', 'shop', ...flags])
  const lines = stripVTControlCharacters(stdout).split('\n')
  expect(lines).toEqual([
    'project  id  hint   label  state   expires  last used  source',
    expect.stringMatching(/^shop {5}k1 {2}….{4} {2}web {4}active {2}- {8}- {10}store$/),
    'one key',
    '',
  ])
  expect(stripVTControlCharacters((await onTerminal(['plans', 'list', ...flags])).stdout)).toBe('no plans\n')
})
