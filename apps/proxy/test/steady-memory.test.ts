import { expect, it } from 'vitest'
import { keepMemorySteady, type StartedProcess } from '../src/steady-memory.ts'

const begun = {
  pid: 7,
  platform: 'linux',
  env: { HOME: '/root', EMPTY: undefined },
  execPath: '/bin/node',
  execArgv: ['--conditions=x'],
  argv: ['/bin/node', 'main.js', 'config.json'],
}

function replacedBy(started: Partial<StartedProcess>): unknown[] | undefined {
  let seen: unknown[] | undefined
  const execve = (...args: unknown[]) => void (seen = args)
  keepMemorySteady({ ...begun, execve: execve as never, ...started })
  return seen
}

it.each<[string, Partial<StartedProcess>]>([
  ['its arguments', { execArgv: ['--max_semi_space_size=64'] }],
  ['NODE_OPTIONS', { env: { NODE_OPTIONS: '--no-warnings --max-semi-space-size=64' } }],
])('a bound of the room for new objects in %s holds', (_where, started) => {
  const [, args] = replacedBy(started) as [unknown, string[]]
  expect(args).not.toContain('--max-semi-space-size=16')
})

it('a process on Linux begins again with the settings of its allocator and its heap, and with all that it was given', () => {
  expect(replacedBy({})).toEqual([
    '/bin/node',
    ['/bin/node', '--conditions=x', '--max-semi-space-size=16', 'main.js', 'config.json'],
    { HOME: '/root', MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' },
  ])
})

it.each([
  [256 * 2 ** 20, ['--max-old-space-size=128']],
  [2 ** 30, []],
  [0, []],
  [2 ** 64, []],
])('the heap has half of %d bytes of a control group where V8 would take more than all', (memory, flags) => {
  const [, args] = replacedBy({ constrainedMemory: () => memory }) as [unknown, string[]]
  expect(args.filter((arg) => arg.startsWith('--max-old'))).toEqual(flags)
})

it('a bound of the heap that it was given holds', () => {
  const env = { NODE_OPTIONS: '--max-old-space-size=200' }
  const [, args] = replacedBy({ env, constrainedMemory: () => 2 ** 28 }) as [unknown, string[]]
  expect(args.filter((arg) => arg.startsWith('--max-old'))).toEqual([])
})

it.each<[string, Partial<StartedProcess>]>([
  ['has settings already', { env: { MALLOC_MMAP_THRESHOLD_: '65536' } }],
  ['is not on Linux', { platform: 'darwin' }],
  ['has a parent that listens', { send: () => true }],
  ['was passed sockets', { env: { LISTEN_PID: '7', LISTEN_FDS: '1' } }],
  ['cannot be replaced', { execve: undefined as never }],
])('one that %s stays as it is', (_what, started) => {
  expect(replacedBy(started)).toBeUndefined()
})
