import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createChannel } from '../../src/shared-state/channel.ts'
import { createProcessPort } from '../../src/shared-state/process-port.ts'

/** A child that answers each message as a channel would, with the length of its body. */
async function child() {
  const folder = await mkdtemp(join(tmpdir(), 'process-port-'))
  const file = join(folder, 'child.mjs')
  const answer = 'process.send({ answer: frame.id, body: frame.body.length ?? frame.body })'
  await writeFile(file, `process.on('message', (frame) => { if (frame.id !== undefined) ${answer} })`)
  const forked = fork(file, { serialization: 'advanced', execArgv: [] })
  const exited = once(forked, 'exit')
  onTestFinished(async () => {
    forked.kill('SIGKILL')
    await exited
    await rm(folder, { recursive: true })
  })
  return forked
}

describe('a port over the IPC of a process', () => {
  it('carries bytes, big integers and maps as they are, and megabytes in order', async () => {
    const channel = createChannel(createProcessPort(await child(), { onStalled: () => {} }))
    const value = new Map<string, unknown>([
      ['wei', 2n ** 200n],
      ['bytes', new Uint8Array([1, 2])],
    ])
    expect(await channel.ask('echo', value)).toEqual(value)
    const lengths = [3_000_000, 10, 2_000_000]
    expect(await Promise.all(lengths.map((length) => channel.ask('count', new Uint8Array(length))))).toEqual(lengths)
  })

  it('tells of an end that does not read, once, at the bound of what waits for it; that holds no more bytes', async () => {
    const forked = await child()
    let stalls = 0
    const port = createProcessPort(forked, { maxWaitingBytes: 2_000_000, onStalled: () => stalls++ })
    const channel = createChannel(port)
    await channel.ask('count', 'it runs')
    forked.kill('SIGSTOP')
    const message = new Uint8Array(100_000)
    let posted = 0
    while (posted < 1_000 && port.post({ topic: 'x', body: message })) posted++
    expect(stalls).toBe(1)
    // The bytes that the bound lets wait, and those that the system has taken.
    expect(posted).toBeGreaterThan(15)
    expect(posted).toBeLessThan(35)
    expect(port.post('more')).toBe(false)
    expect(stalls).toBe(1)
  })

  it('forgets what waited once it was read', async () => {
    const forked = await child()
    let stalls = 0
    const port = createProcessPort(forked, { maxWaitingBytes: 2_000_000, onStalled: () => stalls++ })
    const channel = createChannel(port)
    await channel.ask('count', 'it runs')
    for (let round = 0; round < 5; round++) {
      forked.kill('SIGSTOP')
      for (let i = 0; i < 15; i++) channel.report('x', new Uint8Array(100_000))
      const answered = channel.ask('count', 'read again')
      forked.kill('SIGCONT')
      expect(await answered).toBe(10)
    }
    expect(stalls).toBe(0)
  })

  it('is closed when the process ends', async () => {
    const forked = await child()
    const port = createProcessPort(forked, { onStalled: () => {} })
    const channel = createChannel(port)
    const waiting = channel.ask('nothing serves this', 'x')
    await waiting
    const closed = new Promise<void>((resolve) => channel.onClose(resolve))
    forked.kill('SIGKILL')
    await closed
    expect(port.post('x')).toBe(false)
  })
})
