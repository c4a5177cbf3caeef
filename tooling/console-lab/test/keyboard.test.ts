import { expect, it } from 'vitest'
import { nameOfFocus, settled, tabTo } from '../src/browse.ts'
import { tokenOf } from '../src/stand-in.ts'
import { describeConsole } from './scene.ts'

describeConsole('by the keyboard alone', { callsPerSecond: 80, isUnused: true }, (scene) => {
  it('one signs in, skips the navigation, goes to a page, changes the theme, and signs out', async () => {
    const context = await scene.browser.newContext()
    const page = await context.newPage()
    await page.goto(`${scene.gateway.url}/console/`)
    // The field has the focus already.
    await page.locator('input').waitFor()
    await page.keyboard.type(tokenOf('all'))
    await page.keyboard.press('Enter')
    await settled(page)

    await page.keyboard.press('Tab')
    expect(await page.evaluate(nameOfFocus)).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await tabTo(page, '1h (1 hour)')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).search).toBe('?range=1h')

    await tabTo(page, 'Networks', { key: 'Shift+Tab' })
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('h1').innerText()).toBe('Networks')
    await tabTo(page, 'Dark')
    await page.keyboard.press('Space')
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.reload()
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    await settled(page)
    await tabTo(page, 'Sign out')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('h1').innerText()).toBe('Sign in to the console')
    await context.close()
  })

  it('one cordons an upstream: the focus stays in the dialog, and comes back after it', async () => {
    const { page } = await scene.open('networks')
    await tabTo(page, 'Cordon own-2 of mainnet')
    await page.keyboard.press('Enter')
    const passed = new Set<string>()
    for (let i = 0; i < 12; i++) {
      passed.add(
        await page.evaluate(() =>
          document.activeElement?.closest('dialog') ? 'in the dialog' : (document.activeElement?.tagName ?? ''),
        ),
      )
      await page.keyboard.press('Tab')
    }
    // Between its last and its first element a browser offers its own controls.
    expect([...passed].filter((place) => place !== 'in the dialog' && place !== 'BODY')).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate(nameOfFocus)).toBe('Cordon own-2 of mainnet')
    await page.keyboard.press('Enter')
    await page.keyboard.type('by keys')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('table', { name: 'Upstreams of mainnet' }).innerText()).toContain('by keys')
    await tabTo(page, 'Undo')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.getByRole('table', { name: 'Upstreams of mainnet' }).innerText())
      .not.toContain('by keys')
  })

  it('one creates a project and a key, copies it, calls with it, and revokes it', async () => {
    const { page } = await scene.open('projects')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await tabTo(page, 'New project')
    await page.keyboard.press('Enter')
    await page.keyboard.type('By keys')
    await page.keyboard.press('Enter')
    await page.getByLabel('Label', { exact: true }).waitFor()
    await page.keyboard.type('Of the keyboard')
    await page.keyboard.press('Enter')
    await page.getByLabel('The new key').waitFor()
    const key = await page.getByLabel('The new key').innerText()
    await tabTo(page, 'Copy the key')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
    await tabTo(page, 'Try it')
    await page.keyboard.press('Enter')
    await settled(page)
    expect(await page.locator('h1').innerText()).toBe('Try it')
    await tabTo(page, 'Method')
    await page.keyboard.type('eth_chainId')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Call')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByLabel('The answer', { exact: true }).innerText()).toContain('"0x1"')

    await page.goBack()
    await page.goBack()
    await settled(page)
    await tabTo(page, 'Of the keyboard')
    await page.keyboard.press('Enter')
    await settled(page)
    await tabTo(page, 'Revoke')
    await page.keyboard.press('Enter')
    await page.locator('dialog').waitFor()
    await page.keyboard.type(new URL(page.url()).searchParams.get('key')!)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.toast').allInnerTexts()).toContain('The key Of the keyboard is revoked.')
  })

  it('one chooses a call of the live tail, reads it, and lets the tail go on', async () => {
    const { page } = await scene.open('inspector')
    await page.locator('.tail-row').nth(24).waitFor()
    await tabTo(page, /^Calls, the newest first/)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => page.locator('.panel-head .badge').first().innerText()).toBe('standing still')
    const active = page.locator('.tail-row.active')
    const [id, method] = [
      await page.locator('.tail').getAttribute('aria-activedescendant'),
      await active.locator('span').nth(2).innerText(),
    ]
    expect(id).toBe('call-1')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.details').innerText()).toContain(method)
    await page.keyboard.press('End')
    await expect.poll(() => page.locator('.tail').evaluate((element) => element.scrollTop)).toBeGreaterThan(0)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('.panel-head .badge').first().innerText()).toBe('live')
    await tabTo(page, 'Close')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.details').count()).toBe(0)
  })

  it('one adds a file, opens it, and unpins it', async () => {
    const { page } = await scene.open('ipfs?project=analytics')
    const chooser = page.waitForEvent('filechooser')
    await tabTo(page, 'Choose files')
    await page.keyboard.press('Enter')
    await (await chooser).setFiles({ name: 'keys.txt', mimeType: 'text/plain', buffer: Buffer.from('by keys') })
    await page.getByRole('button', { name: 'Open keys.txt' }).waitFor()
    await tabTo(page, 'Open keys.txt')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('dialog pre').innerText()).toBe('by keys')
    await page.keyboard.press('Escape')
    await tabTo(page, 'Unpin keys.txt')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Unpin')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.toast').allInnerTexts()).toContain('It is unpinned.')
  })

  it('one changes rules, limits and a plan', async () => {
    const { page, go } = await scene.open('projects?project=indexer&tab=rules')
    await tabTo(page, 'Methods')
    await page.keyboard.type('eth_call')
    await tabTo(page, 'Save rules')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.toast').allInnerTexts()).toContain('The rules are saved.')
    await go('projects?view=plans')
    await tabTo(page, 'Edit plan free')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Credits a day')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('2,000,000')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.toast').allInnerTexts()).toContain('The plan free is saved.')
    expect(await page.getByRole('row', { name: /Free/ }).innerText()).toContain('2M')
  })

  it('one opens the navigation of a narrow screen, and leaves it by Escape', async () => {
    const { page } = await scene.open('gas', { width: 400 })
    await tabTo(page, 'Open navigation')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Navigation' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate(nameOfFocus)).toBe('Open navigation')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Audit log')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('h1').innerText()).toBe('Audit log')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  it('one sees where the focus is, everywhere', async () => {
    const { page, go } = await scene.open('')
    const unseen: string[] = []
    for (const path of [
      '?range=1h',
      'networks',
      'projects?project=storefront',
      'inspector',
      'try?network=mainnet',
      'ipfs?project=storefront',
    ]) {
      await go(path)
      for (let i = 0; i < 40; i++) {
        await page.keyboard.press('Tab')
        const found = await page.evaluate(() => {
          const focused = document.activeElement
          if (!(focused instanceof HTMLElement) || focused === document.body) return undefined
          const { outlineStyle, outlineWidth } = getComputedStyle(focused)
          return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1 ? undefined : focused.outerHTML.slice(0, 120)
        })
        if (found !== undefined) unseen.push(`${path}: ${found}`)
      }
    }
    expect([...new Set(unseen)]).toEqual([])
  })
})
