// The programs of `first-hour/`, as somebody runs them who has installed the packages: against the packed ones, and a `wayleave dev`.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { evmMethods } from '@wayleave/evm-types'
import { starknetMethods } from '@wayleave/starknet-types'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createViteServer } from 'vitest/node'
import { type Dev, startDev } from '../first-hour/dev.ts'
import { type Installed, installPacked } from '../first-hour/install.ts'
import { openInEditor } from '../first-hour/language-server.ts'
import { findNode } from '../first-hour/nodes.ts'
import { pagePrograms, programs, settings, sourceOf, typeCheck, writePrograms } from '../first-hour/project.ts'
import { ask, post } from './support/http.ts'

let dev: Dev
let project: Installed

beforeAll(async () => {
  ;[dev, project] = await Promise.all([startDev(), installPacked('@wayleave/client', '@wayleave/ipfs-http')])
  await writePrograms(project.folder, dev)
}, 180_000)

afterAll(async () => {
  await dev?.stop()
  await project?.remove()
})

/** Has the chain make blocks until `done`. */
async function mineUntil(done: () => boolean): Promise<void> {
  while (!done()) {
    await ask(`${dev.rpc}/v3/0123456789abcdef0123456789abcdef`, 'evm_mine', [])
    await sleep(100)
  }
}

const line = {
  'watch-blocks': /^block \d+ 0x[\da-f]{64} used \d+ gas$/m,
  'verified-transaction': /^proven: 0x[\da-f]{64} pays 1 wei to 0x[\da-f]{40}$/m,
  'ipfs-directory': /^100%\nipfs:\/\/Qm\w{44}\n$/m,
}

describe('the programs of the first hour', () => {
  it.each(programs)('%s has at most 15 lines', async (name) => {
    expect((await sourceOf(name)).trimEnd().split('\n').length).toBeLessThanOrEqual(15)
  })

  it.each(programs)('%s stands in the README of the client', async (name) => {
    const readme = await readFile(new URL('../../../apps/client/README.md', import.meta.url), 'utf8')
    expect(readme).toContain(`\`\`\`typescript\n${await sourceOf(name)}\`\`\`\n`)
  })

  // The first one writes what Node runs below.
  it.each(Object.keys(settings) as (keyof typeof settings)[])('type-check strictly under %s', async (name) => {
    expect(await typeCheck(project.folder, name)).toBe('')
  })
})

/** A program on a Node, and what it has printed. */
function start(node: string, name: string, ...args: string[]): { child: ChildProcess; printed: () => string } {
  const child = spawn(node, [join(project.folder, 'dist', `${name}.js`), ...args], { cwd: project.folder })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (more) => (text += more))
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, printed: () => text }
}

const nodes = [20, 24].map((major) => ({ major, node: findNode(major) }))

describe.each(nodes)('on Node $major', ({ major, node = '' }) => {
  it.skipIf(node === '')('watch-blocks prints blocks as they come', async () => {
    const { child, printed } = start(node, 'watch-blocks')
    const ended = once(child, 'close')
    await mineUntil(() => line['watch-blocks'].test(printed()) || child.exitCode !== null)
    expect(printed()).toMatch(line['watch-blocks'])
    child.kill('SIGTERM')
    await ended
  })

  it.skipIf(node === '')('verified-transaction ends with a proof', async () => {
    const { child, printed } = start(node, 'verified-transaction')
    const [code] = (await once(child, 'close')) as [number]
    expect(printed()).toMatch(line['verified-transaction'])
    expect(code).toBe(0)
  })

  it.skipIf(node === '')('ipfs-directory comes to 100 percent, and to a CID that leads to the files', async () => {
    const files = join(project.folder, `files-${major}`)
    await mkdir(join(files, 'below'), { recursive: true })
    await writeFile(join(files, 'large.bin'), Buffer.alloc(1_000_000, major))
    await writeFile(join(files, 'below', 'hello.txt'), 'hello\n')
    const { child, printed } = start(node, 'ipfs-directory', files)
    const [code] = (await once(child, 'close')) as [number]
    expect(printed()).toMatch(line['ipfs-directory'])
    expect(code).toBe(0)
    const reported = [...printed().matchAll(/^(\d+)%$/gm)].map(([, percent]) => Number(percent))
    expect(reported).toEqual(reported.toSorted((a, b) => a - b))
    expect(reported[0]).toBeLessThan(100)
    const [, cid] = /ipfs:\/\/(\w+)/.exec(printed())!
    const authorization = `Basic ${btoa('0123456789abcdef0123456789abcdef:fedcba9876543210fedcba9876543210')}`
    const url = `${dev.ipfs}/api/v0/cat?arg=${cid}/below/hello.txt`
    const content = await post(url, '', { headers: { authorization } })
    expect(content.text).toBe('hello\n')
  })
})

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
const isSkipped = executablePath === undefined && process.env['REQUIRE_SERVICES'] === undefined

describe.skipIf(isSkipped)('in Chromium, by Vite', () => {
  let browser: Browser
  let vite: Awaited<ReturnType<typeof createViteServer>>

  beforeAll(async () => {
    if (executablePath === undefined) throw new Error('expected Chromium in /usr/bin')
    for (const name of pagePrograms) {
      await writeFile(join(project.folder, `${name}.html`), `<script type="module" src="/${name}.ts"></script>`)
    }
    vite = await createViteServer({
      root: project.folder,
      configFile: false,
      logLevel: 'error',
      // The packages of other authors are links.
      server: { host: '127.0.0.1', port: 0, fs: { strict: false } },
    })
    await vite.listen()
    // Chromium has no sandbox for root.
    browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
  }, 60_000)

  afterAll(async () => {
    await browser?.close()
    await vite?.close()
  })

  it.each(pagePrograms)('%s does the same', async (name) => {
    const page = await browser.newPage()
    let text = ''
    page.on('console', (message) => (text += `${message.text()}\n`))
    page.on('pageerror', (fault) => (text += `thrown: ${String(fault)}\n`))
    await page.goto(`${vite.resolvedUrls!.local[0]}${name}.html`)
    await mineUntil(() => line[name].test(text) || text.includes('thrown: '))
    expect(text).toMatch(line[name])
    await page.close()
  })
})

describe.each([
  ['the published types', []],
  ['the sources', ['@wayleave/source']],
])('an editor that reads %s', (_what, customConditions) => {
  it('shows the sentence of each method by name', async () => {
    const named = [...Object.entries(evmMethods), ...Object.entries(starknetMethods['0.10'])].flatMap(
      ([method, { summary, effect }]) => {
        const [prefix, name] = method.split('_') as [string, string]
        const group = prefix === 'optimism' ? 'rollup' : prefix
        const isOwn = effect !== 'session' || method.startsWith('starknet_subscribe')
        return isOwn && /^(eth|rollup|starknet)$/.test(group) ? [{ path: `client.${group}.${name}`, summary }] : []
      },
    )
    expect(named.length).toBeGreaterThan(90)
    const head = [
      "import { createClient } from '@wayleave/client'",
      "import { starknet } from '@wayleave/client/starknet'",
      "const apis = { starknet: starknet({ version: '0.10' }) }",
      "const client = createClient({ url: 'http://127.0.0.1:8545', apis })",
    ]
    const text = [...head, ...named.map(({ path }) => `void ${path}`)].join('\n')
    const compilerOptions = { strict: true, module: 'nodenext', types: ['node'], customConditions }
    await writeFile(join(project.folder, 'hover.ts'), text)
    await writeFile(join(project.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['hover.ts'] }))
    const editor = await openInEditor(project.folder, 'hover.ts', text)
    onTestFinished(() => editor.close())
    for (const [i, { path, summary }] of named.entries()) {
      const shown = await editor.hover({ line: head.length + i, character: `void ${path}`.length - 1 })
      expect(shown, path).toContain(summary)
    }
  })
})
