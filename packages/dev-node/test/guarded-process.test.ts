import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { spawnGuarded } from '../src/guarded-process.ts'
import { startDevNode } from '../src/index.ts'
import { call, folder, isAlive, sendWei, within } from './helpers.ts'
import { groupOf, runningWith } from './processes.ts'

interface Parent {
  readonly process: ChildProcess
  readonly pids: readonly number[]
  readonly url: string
}

/** A process of its own that holds a dev node and dies as `death` says, or waits to be killed. */
async function startParent(dataDir: string, death: string): Promise<Parent> {
  const script = fileURLToPath(new URL('parent.ts', import.meta.url))
  const args = ['--conditions=@wayleave/source', script, dataDir, death]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'], detached: true })
  onTestFinished(() => void child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stdout })) {
    return { process: child, ...(JSON.parse(line) as Pick<Parent, 'pids' | 'url'>) }
  }
  throw new Error('the parent said nothing')
}

describe.skipIf(process.platform === 'win32')('the chains end, with their state saved, when their parent', () => {
  const deaths: Readonly<Record<string, (parent: ChildProcess) => void>> = {
    'is killed': (parent) => void parent.kill('SIGKILL'),
    'gets SIGTERM and handles none': (parent) => void parent.kill('SIGTERM'),
    'gets the Ctrl-C of its terminal': (parent) => void process.kill(-parent.pid!, 'SIGINT'),
    exits: (parent) => void parent.stdin!.end(),
    throws: (parent) => void parent.stdin!.end(),
  }

  test.each(Object.keys(deaths))('%s', async (death) => {
    const dataDir = await folder()
    const parent = await startParent(dataDir, death)
    const hash = await sendWei(parent.url)
    expect(parent.pids.map(isAlive)).toEqual([true, true])
    deaths[death]!(parent.process)
    expect(await within(15_000, () => !parent.pids.some(isAlive))).toBe(true)

    await using node = await startDevNode({ dataDir })
    expect(await call(node.networks.dev.httpUrl, 'eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  })

  test('is killed and started again at once: the new one waits for the state', async () => {
    const dataDir = await folder()
    const parent = await startParent(dataDir, 'is killed')
    const hash = await sendWei(parent.url)
    parent.process.kill('SIGKILL')
    await using node = await startDevNode({ dataDir })
    expect(parent.pids.map(isAlive)).toEqual([false, false])
    expect(await call(node.networks.dev.httpUrl, 'eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  })
})

describe.skipIf(process.platform === 'win32')('a guarded process', () => {
  async function run(
    script: string,
    graceMs = 300,
  ): Promise<ReturnType<typeof spawnGuarded> & { lines: string[]; pid(): number }> {
    const lines: string[] = []
    let pid = 0
    const guarded = spawnGuarded({
      command: '/bin/sh',
      args: ['-c', script],
      graceMs,
      scratch: await folder(),
      onPid: (id) => (pid = id),
      onOutput: (line) => lines.push(line),
      onError: (line) => lines.push(`error: ${line}`),
    })
    return { ...guarded, lines, pid: () => pid }
  }

  test('gives its output, its errors and its status', async () => {
    const guarded = await run('echo out; echo err >&2; exit 7')
    expect(await guarded.exited).toBe(7)
    expect(guarded.lines.toSorted()).toEqual(['error: err', 'out'])
  })

  test('reads nothing: the pipe is the guard’s', async () => {
    const guarded = await run('cat; echo done')
    expect(await guarded.exited).toBe(0)
    expect(guarded.lines).toEqual(['done'])
  })

  test('that hears SIGTERM and goes on is killed after the grace', async () => {
    const guarded = await run('trap "echo heard" TERM; echo stubborn; while :; do sleep 0.05; done', 2_000)
    expect(await within(15_000, () => guarded.lines.includes('stubborn'))).toBe(true)
    guarded.stop()
    expect(await guarded.exited).toBe(137)
    // Without the grace it would not have come to it.
    expect(guarded.lines).toEqual(['stubborn', 'heard'])
    expect(isAlive(guarded.pid())).toBe(false)
  })

  test('ends, too, when its guard is killed', async () => {
    const guarded = await run('echo $PPID; exec sleep 60')
    expect(await within(15_000, () => guarded.lines.length > 0)).toBe(true)
    process.kill(Number(guarded.lines[0]), 'SIGKILL')
    await guarded.exited
    expect(await within(15_000, () => !isAlive(guarded.pid()))).toBe(true)
  })

  test('is out of reach of a Ctrl-C in the terminal: its process group is not ours', async () => {
    const guarded = await run('echo $$ $PPID; exec sleep 60')
    expect(await within(15_000, () => guarded.lines.length > 0)).toBe(true)
    const [command, guard] = guarded.lines[0]!.split(' ').map((pid) => groupOf(Number(pid)))
    expect(command).toBeGreaterThan(0)
    expect(command).toBe(guard)
    expect(command).not.toBe(groupOf(process.pid))
    guarded.stop()
    await guarded.exited
  })

  test('has left no process when it has ended', async () => {
    // The last process needs a moment to die: only many ends show that it is waited for.
    const left: number[] = []
    for (let i = 100; i < 140; i++) {
      const guarded = await run(`exec sleep 60.0${i}`)
      guarded.stop()
      await guarded.exited
      if (runningWith(`60.0${i}`)) left.push(i)
    }
    expect(left).toEqual([])
  })

  test('outlives signals to its guard', async () => {
    const sent = join(await folder(), 'sent')
    const guarded = await run(`echo $PPID; until [ -e "${sent}" ]; do sleep 0.05; done; echo survived`)
    expect(await within(15_000, () => guarded.lines.length > 0)).toBe(true)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(Number(guarded.lines[0]), signal)
    await writeFile(sent, '')
    expect(await guarded.exited).toBe(0)
    expect(guarded.lines).toContain('survived')
  })

  test('that cannot be started ends with 127 and a reason', async () => {
    const lines: string[] = []
    const scratch = await folder()
    const options = { command: '/no/such/command', args: [], graceMs: 100, scratch }
    const onError = (line: string): void => void lines.push(line)
    expect(await spawnGuarded({ ...options, onPid() {}, onOutput() {}, onError }).exited).toBe(127)
    expect(lines.join('\n')).toContain('/no/such/command')
    expect(existsSync(scratch)).toBe(false)
  })
})
