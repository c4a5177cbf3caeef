// The TypeScript of pages is checked strictly, and run beside a `wayleave dev`; shell blocks and transcripts of pages are run by bash.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { matches } from '@wayleave/conformance/first-hour/transcript'
import { type Dev, startDev } from '@wayleave/conformance/first-hour/dev'
import { runActs } from '@wayleave/conformance/first-hour/run-acts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actsOfBlock, filesOf, listBlocks } from '../src/blocks/blocks.ts'
import { exampleOptions, removeExamples, writeExamples } from '../src/blocks/examples.ts'
import { gatherSite, root } from '../src/gather.ts'

const run = promisify(execFile)
const { pages } = await gatherSite()
const blocks = listBlocks(pages)
const isTypeScript = ({ language }: { readonly language: string }): boolean =>
  language === 'ts' || language === 'typescript'

const examples = writeExamples(blocks.filter((block) => isTypeScript(block) && block.kind !== 'elsewhere'))
afterAll(() => removeExamples(examples))

it('the TypeScript of pages compiles under the strict settings of this repository', { timeout: 120_000 }, async () => {
  expect(examples.length).toBeGreaterThan(8)
  const config = join(root, 'tooling/site/.readme/tsconfig.json')
  writeFileSync(
    config,
    JSON.stringify({
      extends: '../../../tsconfig.base.json',
      compilerOptions: exampleOptions,
      files: examples.map(({ file }) => file),
    }),
  )
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', config], { cwd: root }).catch(
    (failed: { stdout: string }) => failed,
  )
  expect(stdout).toBe('')
})

describe('TypeScript beside a wayleave dev', () => {
  let dev: Dev
  beforeAll(async () => {
    dev = await startDev()
  })
  afterAll(() => dev?.stop())

  const ran = examples
    .filter(({ block }) => block.kind === 'run')
    .map((example) => [example.block.place, example] as const)

  it.each(ran)('%s runs', { timeout: 60_000 }, async (_place, { block, file }) => {
    const code = block.code
      .replaceAll('127.0.0.1:8545', new URL(dev.rpc).host)
      .replaceAll('127.0.0.1:5001', new URL(dev.ipfs).host)
    const there = file.replace('.ts', '.run.ts')
    writeFileSync(there, code)
    const outcome = await run(process.execPath, ['--conditions=@wayleave/source', there], {
      cwd: dirname(there),
      timeout: 50_000,
    }).catch((failed: { stderr: string; stdout: string }) => failed)
    expect(outcome, outcome.stderr).not.toHaveProperty('code')
  })

  it('a wallet adds the network as the page asks it to', async () => {
    const asked = blocks.filter((block) => block.kind === 'wallet')
    expect(asked.length).toBeGreaterThan(0)
    for (const { code, place } of asked) {
      const script = `${walletOf(new URL(dev.rpc).host)}\n${code}`
      const outcome = await run(process.execPath, ['--input-type=module', '--eval', script]).catch(
        (failed: { stderr: string }) => failed,
      )
      expect(outcome, `${place}: ${outcome.stderr}`).not.toHaveProperty('code')
    }
  })
})

/** A wallet that does what MetaMask does with a network: it asks the URL for its chain, and refuses another one. */
const walletOf = (host: string): string => `
const window = {
  ethereum: {
    async request({ method, params: [{ chainId, rpcUrls, nativeCurrency, chainName }] }) {
      if (method !== 'wallet_addEthereumChain') throw new Error('expected wallet_addEthereumChain, got ' + method)
      if (nativeCurrency.decimals !== 18 || chainName === '') throw new Error('expected a currency and a name')
      const url = rpcUrls[0].replace('127.0.0.1:8545', '${host}')
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
      const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      const { result } = await answer.json()
      if (result !== chainId) throw new Error('expected chain ' + chainId + ', got ' + result)
    },
  },
}
`

describe('the shell lines of a page', () => {
  const shown = blocks.filter((block) => block.kind === 'run' && !isTypeScript(block))
  const paths = [...new Set(shown.map(({ page }) => page.path))]

  it.each(paths)('%s print what it says', { timeout: 240_000 }, async (path) => {
    const own = blocks.filter(({ page }) => page.path === path)
    const acts = own
      .filter((block) => block.kind === 'run' && !isTypeScript(block))
      .flatMap((block) => actsOfBlock(block).map((act) => ({ ...act, at: block.line })))
    const wrong: object[] = []
    let nth = 0
    for await (const lines of runActs(acts, AbortSignal.timeout(230_000), filesOf(own))) {
      const { command, lines: expected } = acts[nth++]!
      const isScript = expected.length === 1 && expected[0] === '…'
      const isRight = matches(expected, lines) && !(isScript && lines.at(-1)?.startsWith('exit code ') === true)
      if (!isRight) wrong.push({ command, expected, lines })
    }
    expect(nth).toBe(acts.length)
    expect(wrong).toEqual([])
  })
})
