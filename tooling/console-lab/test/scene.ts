import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import {
  executablePath,
  isSkipped,
  launch,
  leavePage,
  type OpenOptions,
  type OpenPage,
  openPage,
  signedIn,
} from '../src/browse.ts'
import { type StandIn, type StandInOptions, startStandIn } from '../src/stand-in.ts'

/** A browser and what it looks at. */
export interface Scene {
  readonly browser: Browser
  readonly gateway: StandIn
  /** Opens a page, signed in, until the test has finished. */
  open(path: string, options?: OpenOptions): Promise<OpenPage>
}

/** Describes the console in Chromium, before a stand-in for the gateway; skipped where there is no Chromium. */
export function describeConsole(title: string, options: StandInOptions, tests: (scene: Scene) => void): void {
  describe.skipIf(isSkipped)(title, () => {
    const scene: { browser?: Browser; gateway?: StandIn } = {}
    const contexts = new Map<string, Promise<BrowserContext>>()
    beforeAll(async () => {
      if (executablePath === undefined) throw new Error('expected Chromium in /usr/bin')
      scene.gateway = await startStandIn(options)
      scene.browser = await launch()
    })
    afterAll(async () => {
      await scene.browser?.close()
      await scene.gateway?.[Symbol.asyncDispose]()
    })
    tests({
      get browser() {
        return scene.browser!
      },
      get gateway() {
        return scene.gateway!
      },
      async open(path, chosen = {}) {
        const key = JSON.stringify(chosen)
        const context = contexts.get(key) ?? signedIn(scene.browser!, scene.gateway!.url, chosen)
        contexts.set(key, context)
        const opened = await openPage(await context, scene.gateway!.url, path)
        onTestFinished(() => leavePage(opened.page))
        return opened
      },
    })
  })
}
