import { expect, it } from 'vitest'
import { hostile } from '../src/world.ts'
import { describeConsole } from './scene.ts'

describeConsole('texts that try to become markup', { isHostile: true, callsPerSecond: 60, isUnused: true }, (scene) => {
  const places = [
    ['projects', 'names of projects', hostile.image],
    ['projects?project=hostile', 'labels of keys', hostile.script],
    ['projects?project=hostile&key=key-link', 'the label of a key', hostile.link],
    ['projects?project=hostile&tab=settings', 'the name in a field and a title', hostile.image],
    ['ipfs?project=storefront', 'names of pins', hostile.script],
    ['audit', 'the audit log', 'key-script'],
    ['inspector', 'methods', hostile.script],
    [
      'try?network=mainnet&method=%3Cimg%20src%3Dx%20onerror%3D%22window.hacked%3D1%22%3E',
      'a method of the address',
      '',
    ],
    ['%3Cimg%20src%3Dx%3E', 'the name of a page', '<img src=x>'],
    ['projects?project=%3Cscript%3Ewindow.hacked%3D1%3C%2Fscript%3E', 'an id that is not there', hostile.script],
  ] as const

  it.each(places)('stay text on /console/%s: %s', async (path, _what, shown) => {
    const { page, faults } = await scene.open(path)
    await expect.poll(() => page.locator('main').innerText()).toContain(shown)
    if (path === 'audit')
      for (const each of await page.getByRole('button', { name: 'Details' }).all()) await each.click()
    if (path === 'inspector') {
      await page.locator('.tail').hover()
      await page.locator('.tail-row', { hasText: '<script>' }).first().click()
      await expect.poll(() => page.locator('.details').innerText()).toContain(hostile.script)
    }
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
    expect(await page.locator('main img, main script, main [onerror], main [onclick], body > script').count()).toBe(0)
    // What the gateway does not have is told by a status; nothing else complains.
    expect(faults.filter((fault) => !/status of 404/.test(fault))).toEqual([])
  })

  it('show the characters that one does not see by their names', async () => {
    const { page } = await scene.open('projects')
    const link = page.getByRole('link', { name: /admin/ })
    expect(await link.innerText()).toBe('adminU+202Egnp.exe')
    const direction = await link.locator('bdi').evaluate((element) => getComputedStyle(element).unicodeBidi)
    expect(direction).toBe('isolate')
    await link.click()
    await expect.poll(() => page.title()).toBe('admin[U+202E]gnp.exe · Wayleave console')
  })

  it('are refused by the policy where one is put in all the same', async () => {
    const { page, faults } = await scene.open('')
    await page.evaluate(() => {
      const script = document.createElement('script')
      // Trusted types refuse even the text of a script.
      try {
        script.textContent = 'window.hacked = 1'
        document.body.append(script)
      } catch {
        document.body.dataset['refused'] = 'script'
      }
      try {
        document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.hacked=2">')
      } catch {
        document.body.dataset['refusedMarkup'] = 'markup'
      }
      const style = document.createElement('style')
      style.textContent = 'body { --hacked: 1 }'
      document.head.append(style)
    })
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
    expect(await page.evaluate(() => document.body.dataset['refusedMarkup'])).toBe('markup')
    expect(await page.evaluate(() => getComputedStyle(document.body).getPropertyValue('--hacked'))).toBe('')
    expect(faults.join('\n')).toMatch(/Content Security Policy/)
  })

  it('reach no other host', async () => {
    const { page } = await scene.open('')
    const answer = await page.evaluate(() =>
      fetch('http://127.0.0.1:9/').then(
        () => 'sent',
        (fault: unknown) => String(fault),
      ),
    )
    expect(answer).toMatch(/TypeError/)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).origin))
    for (const path of ['', 'networks', 'gas', 'audit']) {
      await page.goto(`${scene.gateway.url}/console/${path}`)
      await page.waitForLoadState('networkidle')
    }
    expect([...new Set(asked)]).toEqual([scene.gateway.url])
  })
})
