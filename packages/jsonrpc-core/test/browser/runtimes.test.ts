import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleScenario } from './bundle.ts'
import { expected } from './expected.ts'
import { servePeers } from './peers.ts'
import { checks } from './scenario.ts'

const runtimes: readonly { readonly name: string; readonly command: string; readonly args: readonly string[] }[] = [
  { name: 'Node with its own WebSocket', command: process.execPath, args: [] },
  { name: 'Bun', command: 'bun', args: ['run'] },
  { name: 'Deno', command: 'deno', args: ['run', '--allow-net'] },
]

function runs(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

// The bundle of a page, on the native `fetch` and `WebSocket` of other runtimes.
describe.each(runtimes)('in $name', ({ command, args }) => {
  const isSkipped = !runs(command) || (command === process.execPath && globalThis.WebSocket === undefined)
  let results: Record<string, unknown> = {}
  let folder: string | undefined
  let scene: Awaited<ReturnType<typeof servePeers>> | undefined

  beforeAll(async () => {
    if (isSkipped) return
    scene = await servePeers('')
    folder = await mkdtemp(join(tmpdir(), 'scenario-'))
    const file = join(folder, 'scenario.mjs')
    const program = `scenario.run(scenario.checks, ${JSON.stringify(scene.peers)}).then((results) => {
      console.log(JSON.stringify(results))
    })`
    await writeFile(file, await bundleScenario(program))
    const { stdout } = await promisify(execFile)(command, [...args, file], { timeout: 50_000 })
    results = JSON.parse(stdout) as Record<string, unknown>
  }, 60_000)

  afterAll(async () => {
    await scene?.close()
    if (folder !== undefined) await rm(folder, { recursive: true })
  })

  it.skipIf(isSkipped).each(Object.keys(checks))('%s', (name) => {
    expect(results[name]).toEqual(expected[name])
  })
})
