import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, createReadStream, existsSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'

const source = fileURLToPath(new URL('../src/log.ts', import.meta.url))

/** No dependency: the program, which every Unix has. */
const mkfifo = 'mkfifo'

/** A process that runs a script with a `log`. */
function start(script: string, stderr: number | 'pipe'): ReturnType<typeof spawn> {
  const whole = `import { createLog } from ${JSON.stringify(source)}
    const log = createLog({ level: 'warn' })
    ${script}`
  const args = ['--conditions=@wayleave/source', '--input-type=module', '--eval', whole]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', stderr] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'log-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** A pipe that stays open though nobody reads it. */
async function openPipe(): Promise<{ readonly fd: number; readonly path: string }> {
  const path = join(await tempFolder(), 'pipe')
  execFileSync(mkfifo, [path])
  const fd = openSync(path, 'r+')
  onTestFinished(() => closeSync(fd))
  return { fd, path }
}

/** More lines than a pipe and the log hold. */
const tooMany = `for (let i = 0; i < 8_000; i++) log.warn({ i, some: 'x'.repeat(200) }, 'a line')`

describe.skipIf(process.platform !== 'linux')('a reader of stderr who has stalled', () => {
  it.each([
    ['a pipe', async () => (await openPipe()).fd],
    ['a socket', async () => 'pipe' as const],
  ])('behind %s holds up neither the process nor its end', async (_what, open) => {
    const child = start(
      `${tooMany}
      setTimeout(async () => {
        console.log(log.droppedLines() > 0)
        await log.close()
        console.log('closed')
      }, 50)`,
      await open(),
    )
    // Nobody reads child.stderr.
    const closed = once(child, 'exit')
    expect(await text(child.stdout!)).toBe('true\nclosed\n')
    expect(await closed).toEqual([0, null])
  })

  it('and does not keep a process alive that never closes its log', async () => {
    const child = start(tooMany, (await openPipe()).fd)
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('gets whole lines, and how many were lost, once he is back', async () => {
    const { fd, path } = await openPipe()
    const child = start(
      `${tooMany}
      console.log(log.droppedLines())
      process.on('SIGTERM', () => log.close().then(() => process.exit()))
      setInterval(() => {}, 1_000)`,
      fd,
    )
    const [first] = (await once(child.stdout!, 'data')) as [Buffer]
    const dropped = Number(first.toString())
    expect(dropped).toBeGreaterThan(0)
    let read = ''
    for await (const chunk of createReadStream(path, 'utf8')) {
      read += chunk as string
      if (read.includes('"lost"')) break
    }
    child.kill('SIGTERM')
    const lines = read
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { i?: number; lost?: number })
    expect(lines.at(-1)).toMatchObject({ level: 50, lost: dropped })
    expect(lines.slice(0, -1).map(({ i }) => i)).toEqual(Array.from({ length: 8_000 - dropped }, (_, i) => i))
  })
})

it('a line is out before the process ends, however it ends', async () => {
  const folder = await tempFolder()
  for (const end of ['', 'process.exit(0)', `process.kill(process.pid, 'SIGKILL')`]) {
    const file = join(folder, 'file')
    const child = start(`log.error({}, 'the last'); ${end}`, openSync(file, 'w'))
    await once(child, 'exit')
    expect(readFileSync(file, 'utf8')).toMatch(/^\{.*"msg":"the last"\}\n$/)
    const piped = start(`log.error({}, 'the last'); ${end}`, 'pipe')
    expect(await text(piped.stderr!)).toMatch(/^\{.*"msg":"the last"\}\n$/)
  }
})

it('a reader who left costs lines, and not the process', async () => {
  const child = start(
    `const waiting = setInterval(() => {}, 1_000)
    process.once('SIGUSR2', () => {
      for (let i = 0; i < 3; i++) log.warn({ i }, 'lost')
      setTimeout(() => process.stdout.write(' and still here'), 50)
      clearInterval(waiting)
    })
    process.stdout.write('ready')`,
    'pipe',
  )
  child.stderr!.destroy()
  child.stdout!.once('data', () => child.kill('SIGUSR2'))
  expect(await text(child.stdout!)).toBe('ready and still here')
})

it.skipIf(!existsSync('/dev/full'))('a full disk behind stderr costs lines, and not the process', async () => {
  const child = start(
    `for (let i = 0; i < 3; i++) log.warn({ i }, 'lost')
    setTimeout(() => console.log('still here'), 50)`,
    openSync('/dev/full', 'w'),
  )
  const closed = once(child, 'close')
  expect(await text(child.stdout!)).toBe('still here\n')
  expect(await closed).toEqual([0, null])
})
