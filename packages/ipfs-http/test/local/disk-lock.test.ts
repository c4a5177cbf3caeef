import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lockFolder } from '../../src/local/disk-lock.ts'
import { tempFolder } from './support.ts'

const contender = new URL('lock-contender.ts', import.meta.url)

async function startContender(): Promise<ChildProcess> {
  const child = fork(contender, { execArgv: ['--conditions=@wayleave/source'] })
  onTestFinished(() => void child.kill())
  await once(child, 'message')
  return child
}

test('of many processes that find the lock of a dead one at the same time, one gets the folder', async () => {
  const contenders = await Promise.all(Array.from({ length: 5 }, startContender))
  const folder = await tempFolder()
  for (let round = 0; round < 40; round++) {
    const dir = join(folder, String(round))
    await mkdir(dir)
    await writeFile(join(dir, 'lock'), '999999999 1\n')
    const answers = contenders.map((child) => once(child, 'message'))
    for (const child of contenders) child.send(dir)
    const reported = (await Promise.all(answers)).map(([answer]) => answer as string)
    expect(reported.filter((answer) => answer === 'got it')).toHaveLength(1)
    expect(reported.filter((answer) => answer === 'storage')).toHaveLength(4)
    expect(await readdir(dir)).toEqual(['lock'])
  }
})

test('a lock, and what is left of takeovers that were broken off, are taken over and removed', async () => {
  const dir = await tempFolder()
  const dead = '999999999 1\n'
  const claim = `lock.${Buffer.from(dead).toString('hex')}`
  for (const name of ['lock', claim, `${claim}.${Buffer.from(dead).toString('hex')}`]) {
    await writeFile(join(dir, name), dead)
  }
  const unlock = await lockFolder(dir)
  expect(await readdir(dir)).toEqual(['lock'])
  await unlock()
  expect(await readdir(dir)).toEqual([])
})

test('a lock is taken on a disk without a free byte, and holds', async ({ skip }) => {
  const dir = await tempFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', dir], { stdio: 'ignore' })
  } catch {
    return skip('a small file system cannot be mounted here')
  }
  onTestFinished(() => void execFileSync('umount', ['-l', dir]))
  for (let bytes = 65_536; bytes >= 1; bytes >>= 1) {
    await appendFile(join(dir, 'filler'), Buffer.alloc(bytes)).catch(() => {})
    await appendFile(join(dir, 'filler'), Buffer.alloc(1_048_576)).catch(() => {})
  }
  await expect(writeFile(join(dir, 'more'), 'x')).rejects.toMatchObject({ code: 'ENOSPC' })
  await rm(join(dir, 'more'))
  const unlock = await lockFolder(dir)
  const other = await startContender()
  const answer = once(other, 'message')
  other.send(dir)
  expect(await answer).toEqual(['storage', undefined])
  await unlock()
  const again = once(other, 'message')
  other.send(dir)
  expect(await again).toEqual(['got it', undefined])
})
