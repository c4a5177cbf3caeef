import { globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import { file, folder, key, secret } from '../helpers.ts'
import { runIpfs, startIpfsGateway } from './helpers.ts'

const token = 'a-token-of-an-operator'

it('names each broken block of pinned content with its pin and projects, and exits with 1 until it is repaired', async () => {
  const dataDir = await folder()
  const gateway = await startIpfsGateway(dataDir, { admin: { token } })
  onTestFinished(() => gateway.close(0))
  const env = {
    WAYLEAVE_IPFS_URL: gateway.ipfs!,
    WAYLEAVE_API_KEY: key,
    WAYLEAVE_API_KEY_SECRET: secret,
    WAYLEAVE_ADMIN_URL: gateway.admin!,
    WAYLEAVE_ADMIN_TOKEN: token,
  }
  const run = async (...args: string[]): Promise<readonly [number, string, string]> => {
    const { code, stdout, stderr } = await runIpfs(args, { env })
    return [code, stdout, stderr]
  }
  const hello = await file('hello.txt', 'hello\n')
  const cid = (await run('add', '-Q', hello))[1].trim()
  expect(await run('verify')).toEqual([0, '', 'one block of pinned content read, 14 bytes: all whole\n'])

  const [block] = globSync(`${dataDir}/ipfs/blocks/*/*.data`)
  await writeFile(block!, 'x'.repeat(14))
  const [code, stdout, stderr] = await run('verify')
  expect([code, stdout.split('\t')]).toEqual([1, [cid, cid, 'dev', expect.stringMatching(/^block .* is broken.*\n$/)]])
  expect(stderr).toContain('1 missing or broken. Add their content again')
  const [jsonCode, json] = await run('verify', '--json')
  expect([jsonCode, JSON.parse(json)]).toMatchObject([1, { state: 'done', bad: 1, badBlocks: [{ cid }] }])

  await run('add', hello)
  expect((await run('verify'))[0]).toBe(0)
  const refused = await runIpfs(['verify', '--json'], {
    env: { ...env, WAYLEAVE_ADMIN_TOKEN: 'another-token-than-its-own' },
  })
  expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([1, { error: { code: 'unauthorized' } }])
})
