// The console before the gateway itself.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { consoleFiles } from '@wayleave/console'
import { type AnvilProcess, startAnvil } from '@wayleave/dev-node'
import { type RunningGateway, startGateway } from '@wayleave/gateway'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executablePath, isSkipped, launch, leavePage, openPage, settled } from '../src/browse.ts'
import { type Dev, startDev } from '../src/dev.ts'

describe.skipIf(isSkipped)('the console of wayleave dev', () => {
  let dev: Dev
  let browser: Browser
  /** One for all pages, which load the console's files once. */
  let context: BrowserContext

  beforeAll(async () => {
    if (executablePath === undefined) throw new Error('expected Chromium in /usr/bin')
    ;[dev, browser] = await Promise.all([startDev(), launch()])
    context = await browser.newContext()
  })
  afterAll(async () => {
    await browser?.close()
    await dev?.stop()
  })

  it.each(['?range=15m', 'networks', 'gas', 'ipfs', 'streams', 'replay', 'try', 'audit'])(
    'finds no fault on /console/%s',
    async (path) => {
      const { page, faults } = await openPage(context, new URL(dev.console).origin, path)
      await page.waitForLoadState('networkidle')
      expect(await page.locator('[role=alert]').count()).toBe(0)
      expect(faults).toEqual([])
      await leavePage(page)
    },
  )

  it('adds a file to IPFS, opens it, and unpins it', async () => {
    const { page, faults } = await openPage(context, new URL(dev.console).origin, 'ipfs')
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'a name.txt', mimeType: 'text/plain', buffer: Buffer.from('content') })
    await page.getByRole('button', { name: 'Open a name.txt' }).click()
    await expect.poll(() => page.locator('dialog pre').innerText()).toBe('content')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Unpin a name.txt' }).click()
    await page.getByRole('button', { name: 'Unpin', exact: true }).click()
    await expect.poll(() => page.locator('main').innerText()).toContain('This project has pinned nothing')
    expect(faults).toEqual([])
    await leavePage(page)
  })
})

describe.skipIf(isSkipped)('an operator with a token', () => {
  const token = 'an-admin-token-of-the-tests'
  let chain: AnvilProcess
  let gateway: RunningGateway
  let browser: Browser
  let dataDir: string

  beforeAll(async () => {
    if (executablePath === undefined) throw new Error('expected Chromium in /usr/bin')
    dataDir = await mkdtemp(join(tmpdir(), 'wayleave-console-'))
    chain = await startAnvil({ name: 'one', chainId: 31337 })
    gateway = await startGateway(
      {
        dataDir,
        listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
        admin: { token },
        defaultNetwork: 'one',
        networks: { one: { kind: 'evm', chainId: 31337, upstreams: [chain.httpUrl] } },
        projects: [{ id: 'a', name: 'A', keys: [{ key: 'a-key-of-the-tests' }] }],
      },
      { console: { files: consoleFiles } },
    )
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
    await chain?.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  it('signs in, cordons an upstream and uses it again, and stands in the audit log', async () => {
    const page = await browser.newPage()
    const faults: string[] = []
    page.on('pageerror', (fault) => faults.push(fault.message))
    await page.goto(gateway.console!)
    await page.getByLabel('Admin token').fill('a-wrong-token-of-the-tests')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('not known here')
    await page.getByLabel('Admin token').fill(token)
    await page.keyboard.press('Enter')
    await settled(page)

    await page.getByRole('link', { name: 'Networks', exact: true }).first().click()
    await page.getByRole('button', { name: /^Cordon/ }).click()
    await page.getByLabel('Reason').fill('a test')
    await page.getByRole('button', { name: 'Cordon', exact: true }).click()
    await expect.poll(() => page.getByRole('table').innerText()).toMatch(/cordoned\s+a test/)
    await page.getByRole('button', { name: /^Use again/ }).click()
    await expect.poll(() => page.getByRole('table').innerText()).not.toContain('cordoned')

    await page.getByRole('link', { name: 'Projects and keys' }).click()
    await page.getByRole('link', { name: 'Plans' }).click()
    await page.getByRole('button', { name: 'New plan' }).first().click()
    await page.getByLabel('Id').fill('trial')
    await page.getByLabel('Credits a day').fill('1,000')
    // The message about the upstream covers the button for 16 s.
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Audit log' }).click()
    await expect
      .poll(() => page.getByRole('table', { name: 'Changes' }).innerText())
      .toMatch(/Saved plan trial[\s\S]*admin\.token/)

    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect.poll(() => page.locator('h1').innerText()).toBe('Sign in to the console')
    // The cookie alone opens nothing, and the session is over.
    expect((await page.request.get(`${gateway.admin}/admin/v1/audit`)).status()).toBe(401)
    expect(faults).toEqual([])
    await page.context().close()
  })
})
