import { existsSync } from 'node:fs'
import type { AdminScope } from '@wayleave/admin-api'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { tokenOf } from './stand-in.ts'

export const executablePath: string | undefined = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync)
/** Whether tests in Chromium are to be skipped. */
export const isSkipped: boolean = executablePath === undefined && process.env['REQUIRE_SERVICES'] === undefined

/** Starts Chromium, which then asks nobody but the pages that it is sent to. */
export async function launch(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('expected Chromium in /usr/bin')
  const quiet = [
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ]
  // Chromium has no sandbox for root.
  return chromium.launch({ executablePath, args: [...quiet, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])] })
}

/** A page of a browser that is signed in. */
export interface OpenPage {
  readonly page: Page
  /** Errors of scripts, and complaints of the browser such as those about the policy. */
  readonly faults: string[]
  /** Goes to a page of the console, and waits until it has loaded what it shows. */
  go(path: string): Promise<void>
}

export interface OpenOptions {
  readonly scope?: AdminScope
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
}

/** Pages that no test looks at, by their context: another document in one costs a quarter of what a new page costs. */
const idle = new WeakMap<BrowserContext, Page>()

/** Makes a page as good as a new one, for the next {@link openPage} of its context; closes it where there is one already. */
export async function leavePage(page: Page): Promise<void> {
  const context = page.context()
  if (page.isClosed() || idle.has(context)) return page.close()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  for (const event of ['console', 'pageerror', 'request', 'response']) page.removeAllListeners(event)
  await page.evaluate(() => sessionStorage.clear())
  await page.goto('about:blank')
  idle.set(context, page)
}

/** Opens a context in which somebody is signed in, with the cookie and the secret that the form of signing in would leave. */
export async function signedIn(browser: Browser, url: string, options: OpenOptions = {}): Promise<BrowserContext> {
  const { scope = 'all', theme = 'light', width = 1280, height = 860 } = options
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: 'reduce' })
  const response = await context.request.post(`${url}/console/session`, { data: { token: tokenOf(scope) } })
  const { csrf } = (await response.json()) as { readonly csrf: string }
  await context.setStorageState({
    cookies: (await context.storageState()).cookies,
    origins: [{ origin: url, localStorage: [{ name: 'wayleave.csrf', value: csrf }] }],
  })
  return context
}

/** Opens a page of the console in such a context. */
export async function openPage(context: BrowserContext, url: string, path: string): Promise<OpenPage> {
  const page = idle.get(context) ?? (await context.newPage())
  idle.delete(context)
  const faults: string[] = []
  page.on('pageerror', (fault) => faults.push(`${fault.name}: ${fault.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
  })
  async function go(to: string): Promise<void> {
    await page.goto(`${url}/console/${to}`)
    await settled(page)
  }
  await go(path)
  return { page, faults, go }
}

/** Waits until a page shows what it has loaded to somebody who is signed in: the form of signing in has no `#main`. */
export async function settled(page: Page): Promise<void> {
  await page.locator('#main h1').waitFor()
  await page.waitForFunction(
    () => document.querySelector('main .skeleton, main [aria-busy="true"], .page-loading') === null,
  )
}

/** Presses Tab until what has the focus is called so, as somebody does who has no mouse. */
export async function tabTo(page: Page, name: string | RegExp, { most = 120, key = 'Tab' } = {}): Promise<void> {
  const passed: string[] = []
  for (let i = 0; i < most; i++) {
    await page.keyboard.press(key)
    const own = await page.evaluate(nameOfFocus)
    if (typeof name === 'string' ? own === name : name.test(own)) return
    passed.push(own)
  }
  throw new Error(`Tab does not lead to ${name}, but to ${[...new Set(passed)].join(' | ')}`)
}

/** The name of what has the focus, as a screen reader would tell it, nearly. */
export function nameOfFocus(): string {
  const focused = document.activeElement
  if (!(focused instanceof HTMLElement)) return ''
  const labels = 'labels' in focused ? Array.from((focused as HTMLInputElement).labels ?? []) : []
  const text = focused.getAttribute('aria-label') ?? labels[0]?.textContent ?? focused.textContent ?? ''
  return text.trim().replaceAll(/\s+/g, ' ')
}
