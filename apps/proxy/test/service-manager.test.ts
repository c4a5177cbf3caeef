import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { realSurroundings } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { createServiceManager } from '../src/service-manager.ts'

const isMissing = ['systemd-notify', 'python3'].some(
  (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status !== 0,
)
const onFailure = (code: string): void => expect.unreachable(code)
const monotonicUsec = (): bigint => 42n

/** A clock that stands still, with one timer. */
function createStill() {
  let now = 0
  let timer: { readonly at: number; readonly run: () => void } | undefined
  return {
    ...realSurroundings.clock,
    after(ms: number, run: () => void) {
      const set = { at: now + ms, run }
      timer = set
      return () => {
        if (timer === set) timer = undefined
      }
    },
    advance(ms: number) {
      for (const end = now + ms; timer !== undefined && timer.at <= end;) {
        const { at, run } = timer
        now = at
        timer = undefined
        run()
      }
    },
  }
}

function managed(env: Readonly<Record<string, string>>) {
  const clock = createStill()
  const sent: (readonly string[])[] = []
  const manager = createServiceManager({
    env,
    pid: 7,
    clock,
    monotonicUsec,
    onFailure,
    send: (lines) => sent.push(lines),
  })
  return { clock, sent, manager }
}

it('tells a start, a reload and the end, and nothing after that', () => {
  const { sent, manager } = managed({ NOTIFY_SOCKET: '/run/x' })
  manager.ready()
  manager.reloading()
  manager.ready()
  manager.stopping()
  manager.stopping()
  manager.ready()
  expect(sent.map(([line]) => line)).toEqual(['READY=1', 'RELOADING=1', 'READY=1', 'STOPPING=1'])
  // systemd tells by it which reload a message is of.
  expect(sent[1]).toContain('MONOTONIC_USEC=42')
})

it('feeds a watchdog at half of its time, also while it drains, until it is closed', () => {
  const { clock, sent, manager } = managed({ NOTIFY_SOCKET: '/run/x', WATCHDOG_USEC: '30000000', WATCHDOG_PID: '7' })
  manager.ready()
  manager.stopping()
  clock.advance(14_999)
  expect(sent).not.toContainEqual(['WATCHDOG=1'])
  clock.advance(30_000)
  manager.close()
  clock.advance(60_000)
  expect(sent.filter(([line]) => line === 'WATCHDOG=1')).toHaveLength(2)
})

it('says nothing without a socket, and feeds no watchdog of another process', () => {
  const none = managed({ WATCHDOG_USEC: '1000000' })
  none.manager.ready()
  none.clock.advance(5_000)
  expect(none.sent).toEqual([])
  const other = managed({ NOTIFY_SOCKET: '/run/x', WATCHDOG_USEC: '1000000', WATCHDOG_PID: '8' })
  other.manager.ready()
  other.clock.advance(5_000)
  expect(other.sent).toHaveLength(1)
})

// Python has what Node has not, datagrams over Unix sockets.
const receiver = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('bound', flush=True)
while True: print(s.recv(4096).decode().replace('\\n', ' '), flush=True)
`

it.skipIf(isMissing && process.env['REQUIRE_SERVICES'] === undefined)(
  'a socket gets the messages in order by systemd-notify',
  { timeout: 20_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'service-manager-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const path = join(folder, 'notify')
    const child = spawn('python3', ['-c', receiver, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const lines: string[] = []
    const reader = createInterface(child.stdout).on('line', (line) => lines.push(line))
    await once(reader, 'line')
    const { NOTIFY_SOCKET, clock } = { NOTIFY_SOCKET: path, clock: createStill() }
    const manager = createServiceManager({ env: { NOTIFY_SOCKET }, pid: process.pid, clock, monotonicUsec, onFailure })
    manager.ready()
    manager.reloading()
    manager.ready()
    manager.stopping()
    await expect.poll(() => lines.filter((line) => line.includes('STATUS=')).length, { timeout: 15_000 }).toBe(4)
    expect(lines.flatMap((line) => /READY=1|RELOADING=1 MONOTONIC_USEC=42|STOPPING=1/.exec(line)?.[0] ?? [])).toEqual([
      'READY=1',
      'RELOADING=1 MONOTONIC_USEC=42',
      'READY=1',
      'STOPPING=1',
    ])
  },
)
