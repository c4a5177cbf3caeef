import { expect, it } from 'vitest'
import { openPage, settled, signedIn } from '../src/browse.ts'
import { startStandIn, tokenOf } from '../src/stand-in.ts'
import { describeConsole } from './scene.ts'

describeConsole('signing in', { isUnused: true }, (scene) => {
  async function fresh() {
    const context = await scene.browser.newContext()
    const page = await context.newPage()
    await page.goto(`${scene.gateway.url}/console/gas`)
    return page
  }

  it('leads to the page that was asked for, and lasts over a reload', async () => {
    const page = await fresh()
    await page.getByLabel('Admin token').fill(` ${tokenOf('all')} `)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await settled(page)
    expect(await page.locator('h1').innerText()).toBe('Gas fees')
    await page.reload()
    await settled(page)
    expect(await page.locator('h1').innerText()).toBe('Gas fees')
    expect(await page.locator('.side .who').innerText()).toContain('t-all')
    await page.context().close()
  })

  it('keeps no token in the page or its storage', async () => {
    const page = await fresh()
    await page.getByLabel('Admin token').fill(tokenOf('read'))
    await page.keyboard.press('Enter')
    await settled(page)
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    )
    expect(kept).not.toContain(tokenOf('read'))
    expect(kept).toMatch(/^\[\{"wayleave\.csrf":"[0-9a-f]{64}"\},\{\},""\]$/)
    await page.context().close()
  })

  it('says that a token is wrong, and after too many how long to wait', async () => {
    await using gateway = await startStandIn({ isUnused: true })
    const page = await scene.browser.newPage()
    await page.goto(`${gateway.url}/console/`)
    const field = page.getByLabel('Admin token')
    for (let i = 0; i < 10; i++) {
      await field.fill('wrong')
      await page.keyboard.press('Enter')
      await expect.poll(() => page.getByRole('alert').innerText()).toContain('not known here')
      await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null)
    }
    await field.fill('wrong')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('Wait 42 s')
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await page.context().close()
  })

  it('ends with the session: the next question leads back to the form, which says why', async () => {
    const page = await fresh()
    await page.getByLabel('Admin token').fill(tokenOf('all'))
    await page.keyboard.press('Enter')
    await settled(page)
    scene.gateway.endSessions()
    await page.getByRole('link', { name: 'Networks' }).click()
    await expect.poll(() => page.getByRole('status').first().innerText()).toBe('Your session has ended. Sign in again.')
    expect(await page.evaluate(() => localStorage.getItem('wayleave.csrf'))).toBeNull()
    await page.context().close()
  })

  it('ends by the link', async () => {
    const page = await fresh()
    await page.getByLabel('Admin token').fill(tokenOf('all'))
    await page.keyboard.press('Enter')
    await settled(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect.poll(() => page.locator('h1').innerText()).toBe('Sign in to the console')
    await page.reload()
    await expect.poll(() => page.locator('h1').innerText()).toBe('Sign in to the console')
    await page.context().close()
  })

  it('opens what the scopes of the token open, and says what they do not', async () => {
    const usage = await scene.open('', { scope: 'usage' })
    expect(await usage.page.locator('.side .nav-off').allInnerTexts()).toEqual(
      [
        'Networks',
        'Projects and keys',
        'Inspector',
        'Gas fees',
        'IPFS',
        'Subscriptions',
        'Policy replay',
        'Audit log',
      ].map((name) => expect.stringContaining(name)),
    )
    expect(await usage.page.locator('.side .nav-off').first().getAttribute('title')).toContain(
      '“read” or “networks”. Yours has “usage”.',
    )

    const read = await scene.open('networks', { scope: 'read' })
    const cordon = read.page.getByRole('button', { name: 'Cordon own-1 of mainnet' })
    expect(await cordon.getAttribute('aria-disabled')).toBe('true')
    expect(await cordon.getAttribute('title')).toContain('“networks”')
    await cordon.click({ force: true })
    expect(await read.page.locator('dialog').count()).toBe(0)

    const ipfs = await scene.open('ipfs', { scope: 'ipfs' })
    await ipfs.page.getByLabel('Id of a project').fill('storefront')
    await ipfs.page.getByRole('button', { name: 'Show its content' }).click()
    await expect.poll(() => ipfs.page.getByRole('table', { name: 'Pins' }).innerText()).toContain('whitepaper.pdf')
  })

  it('leads to no policy replay where the gateway has no configuration file', async () => {
    await using gateway = await startStandIn({ isWithoutFile: true, isUnused: true })
    const context = await signedIn(scene.browser, gateway.url)
    const { page } = await openPage(context, gateway.url, '')
    const names = await page.locator('.side .nav > *').allInnerTexts()
    expect(names.map((name) => name.trim())).not.toContain('Policy replay')
    expect(names).toHaveLength(9)
    await context.close()
  })

  it('is not asked for where the gateway is open', async () => {
    await using gateway = await startStandIn({ isOpen: true, isUnused: true })
    const context = await scene.browser.newContext()
    const { page, faults } = await openPage(context, gateway.url, 'projects')
    expect(await page.locator('.side .who').innerText()).toContain('without sign-in')
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'New project' }).getAttribute('aria-disabled')).toBeNull()
    expect(faults).toEqual([])
    await context.close()
  })
})
