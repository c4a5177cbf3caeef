// The programs of pages in Python and Go, beside a `wayleave dev`: web3.py of the Python in PYTHON (python3), go-ethereum by Go's own modules.
import { execFile, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Dev, startDev } from '@wayleave/conformance/first-hour/dev'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listBlocks } from '../src/blocks/blocks.ts'
import { gatherSite } from '../src/gather.ts'

const run = promisify(execFile)
const { PYTHON: python = 'python3' } = process.env
const { pages } = await gatherSite()
const blocks = listBlocks(pages)
const hasWeb3 = spawnSync(python, ['-c', 'import web3']).status === 0
const hasGo = spawnSync('go', ['version']).status === 0

let dev: Dev
beforeAll(async () => {
  dev = await startDev()
})
afterAll(() => dev?.stop())

/** The addresses as the programs read them. */
const env = (path: string): NodeJS.ProcessEnv => ({
  ...process.env,
  URL: `${dev.rpc}${path}`,
  WS_URL: `${dev.rpc.replace('http', 'ws')}/ws/v3/0123456789abcdef0123456789abcdef`,
})

describe.skipIf(!hasWeb3)('Python', () => {
  it.each(blocks.filter(({ kind }) => kind === 'python').map((block) => [block.place, block] as const))(
    '%s runs',
    async (_place, { code }) => {
      const { stdout } = await run(python, ['-c', code], { env: env('/v3/0123456789abcdef0123456789abcdef') })
      expect(stdout).toMatch(/^block \d+/)
    },
  )
})

describe.skipIf(!hasGo)('Go', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wayleave-site-go-'))
    await run('go', ['mod', 'init', 'example'], { cwd: folder })
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('each program builds and runs', { timeout: 600_000 }, async () => {
    const programs = blocks.filter(({ kind }) => kind === 'go')
    expect(programs.length).toBeGreaterThan(0)
    for (const [i, { code }] of programs.entries()) {
      await mkdir(join(folder, `program-${i}`))
      await writeFile(join(folder, `program-${i}`, 'main.go'), code)
    }
    const version = /go-ethereum@v[\d.]+/.exec(blocks.find(({ code }) => code.includes('go-ethereum@'))!.code)![0]
    await run('go', ['get', `github.com/ethereum/${version}`], { cwd: folder })
    await run('go', ['mod', 'tidy'], { cwd: folder })
    for (const i of programs.keys()) {
      const { stdout } = await run('go', ['run', `./program-${i}`], { cwd: folder, env: env('') })
      expect(stdout).toMatch(/^(?:chain 31337|block \d+)/)
    }
  })
})
