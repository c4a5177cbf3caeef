import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { cpuNanos, machineNanos, peakBytes, processTree, resetPeak } from '../src/process-usage.ts'

const started: ChildProcess[] = []

/** A Node that runs `script`, resolved with its first message, which must be JSON on one line. */
async function run(script: string): Promise<{ child: ChildProcess; said: number }> {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  started.push(child)
  return { child, said: await hear(child) }
}

async function hear(child: ChildProcess): Promise<number> {
  const [data] = (await once(child.stdout!, 'data')) as [Buffer]
  return Number(data.toString())
}

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

describe.runIf(process.platform === 'linux')('process usage', () => {
  it('counts the CPU time of a busy loop as the process itself counts it', async () => {
    const { child } = await run(`
      console.log(0)
      process.stdin.once('data', () => {
        const before = process.cpuUsage()
        let used = 0
        while (used < 400_000) { const u = process.cpuUsage(before); used = u.user + u.system }
        console.log(used)
      })`)
    const tree = processTree(child.pid!)
    const before = cpuNanos(tree)
    child.stdin!.write('go')
    const used = await hear(child)
    const counted = Number(cpuNanos(tree) - before) / 1000
    expect(counted / used).toBeGreaterThan(0.95)
    expect(counted / used).toBeLessThan(1.5)
  })

  it('counts what the whole machine does, in ticks', async () => {
    const before = machineNanos()
    const own = process.cpuUsage()
    let used = 0
    while (used < 300_000) {
      const { user, system } = process.cpuUsage(own)
      used = user + system
    }
    expect(Number(machineNanos() - before) / 1e6).toBeGreaterThan(250)
  })

  it('counts next to nothing for a process that sleeps', async () => {
    const { child } = await run('setInterval(() => {}, 1000); setTimeout(() => console.log(0), 100)')
    const tree = processTree(child.pid!)
    const before = cpuNanos(tree)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(Number(cpuNanos(tree) - before) / 1e6).toBeLessThan(500)
  })

  it('finds the processes below a process', async () => {
    const { child, said } = await run(`
      const c = require('node:child_process').spawn('sleep', ['20'])
      process.stdin.once('end', () => c.kill())
      console.log(c.pid)`)
    expect(processTree(child.pid!)).toEqual([child.pid, said])
    process.kill(said)
  })

  it('forgets a peak of memory when told to', async () => {
    const { child } = await run(`
      require('node:v8').setFlagsFromString('--expose-gc')
      const collect = require('node:vm').runInNewContext('gc')
      let big = Buffer.alloc(100e6, 1)
      big = undefined
      // The memory is given back a moment later, on another thread.
      const wait = () => {
        collect()
        if (process.memoryUsage.rss() < 100e6) console.log(0)
        else setTimeout(wait, 10)
      }
      setTimeout(wait, 10)
      setInterval(() => {}, 1000)`)
    expect(peakBytes([child.pid!])).toBeGreaterThan(120e6)
    resetPeak([child.pid!])
    expect(peakBytes([child.pid!])).toBeLessThan(110e6)
  })
})
