import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleScenario } from './bundle.ts'
import { expected } from './expected.ts'
import { servePeers } from './peers.ts'
import { checks, pageChecks } from './scenario.ts'

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
const isSkipped = executablePath === undefined && process.env['REQUIRE_SERVICES'] === undefined

describe.skipIf(isSkipped)('in Chromium', () => {
  let browser: Browser | undefined
  let scene: Awaited<ReturnType<typeof servePeers>> | undefined
  let results: Record<string, unknown> = {}
  const faults: string[] = []

  beforeAll(async () => {
    if (executablePath === undefined) throw new Error('expected Chromium in /usr/bin')
    scene = await servePeers(await bundleScenario('globalThis.scenario = scenario'))
    // Chromium has no sandbox for root.
    browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
    const page = await browser.newPage()
    page.on('pageerror', (fault) => faults.push(String(fault)))
    await page.goto(scene.page)
    await page.waitForFunction('globalThis.scenario !== undefined')
    const program = `(async () => ({
      ...await scenario.run(scenario.checks, ${JSON.stringify(scene.peers)}),
      ...await scenario.run(scenario.pageChecks, ${JSON.stringify(scene.peers)}),
    }))()`
    results = await page.evaluate<Record<string, unknown>>(program)
  }, 60_000)

  afterAll(async () => {
    await browser?.close()
    await scene?.close()
  })

  it.each(Object.keys(checks))('%s', (name) => {
    expect(results[name]).toEqual(expected[name])
  })

  it.each(Object.keys(pageChecks))('%s', (name) => {
    // A browser does not tell a page whether such a call has arrived.
    expect(results[name]).toBe('disconnected unknown')
  })

  it('nothing is thrown aside', () => {
    expect(faults).toEqual([])
  })
})
