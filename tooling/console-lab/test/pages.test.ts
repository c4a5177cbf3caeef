import { expect, it } from 'vitest'
import { openPage, settled, signedIn } from '../src/browse.ts'
import { describeConsole } from './scene.ts'

describeConsole('each page of the console', {}, (scene) => {
  const { open } = scene

  it('overview: totals, charts with their tables, networks, methods and projects', async () => {
    const { page, faults } = await open('?range=1h')
    const tiles = await page.locator('.tile').allInnerTexts()
    expect(tiles.map((text) => text.split('\n')[0])).toEqual([
      'Calls',
      'In flight',
      'Errors',
      'p50',
      'p99',
      'Cache hits',
      'Credits',
      'Open now',
    ])
    for (const text of tiles) expect(text).toMatch(/\d/)
    expect(await page.locator('.plot canvas').count()).toBe(4)
    expect(await page.getByRole('img', { name: /^Latency of calls\. p99: [\d.]+ ms at the end/ }).count()).toBe(1)
    await page.getByRole('button', { name: 'As table: Calls and errors' }).click()
    await expect.poll(() => page.locator('.chart-table tbody tr').count()).toBeGreaterThan(100)
    await expect
      .poll(() => page.getByRole('table', { name: 'Networks' }).innerText())
      .toMatch(/mainnet\s+2 of 3 up\s+[\d,]+/)
    await expect.poll(() => page.getByRole('table', { name: 'Methods by calls' }).innerText()).toContain('eth_call')
    await expect.poll(() => page.getByRole('table', { name: 'Projects by calls' }).innerText()).toContain('storefront')
    await expect.poll(() => page.locator('.notice.warn').innerText()).toContain('31 blocks behind the others')
    expect(faults).toEqual([])
  })

  it('overview: longer ranges come from the store, and say so', async () => {
    const { page, faults } = await open('')
    await page.getByRole('button', { name: '7 days' }).click()
    await expect.poll(() => page.locator('.about').first().innerText()).toContain('Sums of the store by hour')
    expect(new URL(page.url()).search).toBe('?range=7d')
    await expect.poll(() => page.locator('.tile').first().innerText()).toMatch(/Calls\n\d/)
    await expect.poll(() => page.locator('.tile').nth(3).innerText()).toContain('for ranges up to 24h')
    expect(scene.gateway.asked.some((line) => line.includes('/usage?') && line.includes('by=at%2Cstatus'))).toBe(true)
    expect(faults).toEqual([])
  })

  it('networks: heads, lag, reasons and figures; an upstream is cordoned, and put back by undo', async () => {
    const { page, faults } = await open('networks')
    const row = page.getByRole('table', { name: 'Upstreams of base' }).getByRole('row', { name: /provider/ })
    expect(await row.innerText()).toMatch(/provider\s+behind\s+31 blocks behind the others\s+[\d,]+\s+31/)
    const mainnet = page.getByRole('table', { name: 'Upstreams of mainnet' })
    expect(await mainnet.getByRole('row', { name: /own-1/ }).innerText()).toMatch(/18 ms\s+0.11 %\s+closed/)

    await page.getByRole('button', { name: 'Cordon own-2 of mainnet' }).click()
    await page.getByLabel('Reason').fill('an upgrade')
    await page.getByRole('button', { name: 'Cordon', exact: true }).click()
    await expect.poll(() => mainnet.getByRole('row', { name: /own-2/ }).innerText()).toMatch(/cordoned\s+an upgrade/)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => mainnet.getByRole('row', { name: /own-2/ }).innerText()).toMatch(/own-2\s+up/)
    expect(faults).toEqual([])
  })

  it('networks: the last one that is up is not cordoned without a warning', async () => {
    const { page } = await open('networks')
    await page.getByRole('button', { name: 'Cordon juno of starknet' }).click()
    await expect.poll(() => page.locator('dialog').innerText()).toContain('No other upstream of starknet is up')
  })

  it('projects: a project and its key are made, the key is shown once, used, rotated and revoked', async () => {
    const { page, faults } = await open('projects')
    await page.getByRole('button', { name: 'New project' }).first().click()
    await page.getByLabel('Name').fill('Newcomer')
    await page.getByLabel('Id (optional)').fill('not good')
    await page.getByRole('button', { name: 'Create project' }).click()
    await expect.poll(() => page.locator('.field-error').innerText()).toMatch(/letters, digits/)
    await page.getByLabel('Id (optional)').fill('newcomer')
    await page.getByRole('button', { name: 'Create project' }).click()

    // A new project asks for its first key at once.
    await page.getByLabel('Label', { exact: true }).fill('First')
    await page.getByRole('button', { name: 'Create key' }).click()
    const secret = page.getByLabel('The new key')
    const key = await secret.innerText()
    expect(key).toMatch(/^wl_\w{28}$/)
    await page.keyboard.press('Escape')
    expect(await secret.isVisible()).toBe(true)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    expect(await page.content()).not.toContain(key)

    await page.getByRole('link', { name: 'First' }).click()
    await page.getByRole('button', { name: 'Rotate', exact: true }).click()
    await page.getByRole('button', { name: 'Rotate key' }).click()
    const rotated = await page.getByLabel('The new key').innerText()
    expect(rotated).not.toBe(key)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await settled(page)
    const id = new URL(page.url()).searchParams.get('key')!

    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByLabel(/^Type/).fill('something else')
    await page.getByRole('button', { name: 'Revoke key' }).click({ force: true })
    expect(await page.locator('dialog').isVisible()).toBe(true)
    await page.getByLabel(/^Type/).fill(id)
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await expect.poll(() => page.getByRole('table', { name: 'Keys' }).innerText()).not.toContain(id)
    expect(faults.filter((fault) => !fault.includes('422'))).toEqual([])
  })

  it('projects: rules and limits are saved, and what the API refuses stands at its field', async () => {
    const { page } = await open('projects?project=analytics&tab=rules')
    await page.getByLabel('Source addresses').fill('192.0.2.1\n10.0.0.0/33')
    await page.getByRole('button', { name: 'Save rules' }).click()
    await expect
      .poll(() => page.locator('.field', { hasText: 'Source addresses' }).locator('.field-error').innerText())
      .toMatch(/^line 2: /)
    await page.getByLabel('Source addresses').fill('192.0.2.1\n10.0.0.0/8')
    await page.getByRole('button', { name: 'Save rules' }).click()
    await expect.poll(() => page.locator('.toast').innerText()).toContain('The rules are saved.')

    await page.getByRole('link', { name: 'Limits' }).click()
    await page.getByLabel('Credits a second').fill('1,000')
    await page.getByLabel('At once').fill('many')
    await page.getByLabel(/^By method/).fill('{"methods":{"eth_*":{"perDay":{"credits":-1}}}}')
    await page.getByRole('button', { name: 'Save limits' }).click()
    const errors = page.locator('.field-error')
    await expect.poll(() => errors.count()).toBeGreaterThan(0)
    await page.getByLabel('At once').fill('2000')
    await page.getByLabel(/^By method/).fill('{"methods":{"eth_*":{"perDay":{"credits":5}}}}')
    await page.getByRole('button', { name: 'Save limits' }).click()
    await expect.poll(() => page.locator('.toast').allInnerTexts()).toContain('The limits are saved.')
    await page.reload()
    await settled(page)
    expect(await page.getByLabel('Credits a second').inputValue()).toBe('1000')
    expect(await page.getByLabel(/^By method/).inputValue()).toContain('"eth_*"')
  })

  it('projects: plans are made, changed and removed, but not one that is in use', async () => {
    const { page } = await open('projects?view=plans')
    await page.getByRole('button', { name: 'New plan' }).click()
    await page.getByLabel('Id').fill('trial')
    await page.getByLabel('Credits a day').fill('5000')
    await page.getByRole('button', { name: 'Save plan' }).click()
    await expect.poll(() => page.getByRole('row', { name: /trial/ }).innerText()).toContain('5,000')
    await page.getByRole('button', { name: 'Remove plan trial' }).click()
    await page.getByRole('button', { name: 'Remove plan', exact: true }).click()
    await expect.poll(() => page.getByRole('row', { name: /trial/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Remove plan team' }).click()
    await page.getByRole('button', { name: 'Remove plan', exact: true }).click()
    await expect.poll(() => page.locator('dialog [role=alert]').innerText()).toMatch(/team/)
  })

  it('projects: those of the configuration are shown, and say why they cannot be changed', async () => {
    const { page } = await open('projects?project=status-page')
    expect(await page.locator('.notice').innerText()).toContain('comes from the configuration file')
    const button = page.getByRole('button', { name: /^New key/ })
    expect(await button.first().getAttribute('aria-disabled')).toBe('true')
    expect(await button.first().getAttribute('title')).toContain('change it there')
  })

  it('a project: usage by method and by key', async () => {
    const { page, faults } = await open('projects?project=storefront&tab=usage&range=24h')
    await expect
      .poll(() => page.getByRole('table', { name: 'Usage by method' }).innerText())
      .toMatch(/eth_call\s+[\d,]+\s+[\d.]+ %/)
    await expect.poll(() => page.getByRole('table', { name: 'Usage by key' }).innerText()).toContain('checkout')
    expect(faults).toEqual([])
  })

  it('gas: bands over blocks, and what was kept of what was promised', async () => {
    const { page, faults } = await open('gas')
    await expect.poll(() => page.locator('.tile').first().innerText()).toMatch(/Low, within 1m 12s\n[\d.]+ gwei/)
    expect(await page.getByRole('img', { name: /^Suggested fees and base fee by block\. High: / }).count()).toBe(1)
    await expect.poll(() => page.locator('main p.unseen').first().textContent()).toMatch(/ gwei\.$/)
    expect(await page.locator('main').textContent()).not.toContain('gwei gwei')
    expect(await page.getByRole('row', { name: /^Medium/ }).innerText()).toMatch(
      /95 % get in within 3 blocks\s+97.6 %\s+290\s+7\s+3/,
    )
    expect(faults).toEqual([])
  })

  it('IPFS: a file is added, opened as text, found by its CID, and unpinned', async () => {
    const { page, faults } = await open('ipfs?project=indexer')
    expect(await page.locator('.empty').innerText()).toContain('This project has pinned nothing')
    const content = '<script>window.hacked = 1</script>\nhello'
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'hello.txt', mimeType: 'text/html', buffer: Buffer.from(content) })
    await expect.poll(() => page.locator('.upload').innerText()).toContain('pinned')
    await page.getByRole('button', { name: 'Open hello.txt' }).click()
    await expect.poll(() => page.locator('dialog pre').innerText()).toBe(content)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    expect((await download).suggestedFilename()).toMatch(/^bafybei/)
    await page.getByRole('button', { name: 'Close', exact: true }).last().click()

    await page.getByLabel('A CID, or a path below one').fill('/ipfs/bafydirectory')
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await expect
      .poll(() => page.getByRole('table', { name: 'Entries of this directory' }).innerText())
      .toMatch(/images\/\s+–[\s\S]*readme\.txt\s+12 B/)
    await page.keyboard.press('Escape')
    await page.getByLabel('A CID, or a path below one').fill('bafyempty')
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await expect.poll(() => page.locator('dialog').innerText()).toContain('This directory is empty')
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Unpin hello.txt' }).click()
    await page.getByRole('button', { name: 'Unpin', exact: true }).click()
    await expect.poll(() => page.locator('.empty').innerText()).toContain('This project has pinned nothing')
    expect(faults).toEqual([])
  })

  it('IPFS: what the gateway refuses is told beside the file', async () => {
    const { page } = await open('ipfs?project=indexer')
    const buffer = Buffer.alloc(6_000_000, 1)
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'large.bin', mimeType: 'application/octet-stream', buffer })
    await expect.poll(() => page.locator('.upload').innerText()).toContain('beyond the quota')
  })

  it('subscriptions: by network and kind, filters by project', async () => {
    const { page, faults } = await open('streams')
    expect(await page.locator('.tile').nth(2).innerText()).toMatch(/Subscriptions\n265/)
    expect(await page.getByRole('table', { name: 'Subscriptions of mainnet' }).innerText()).toMatch(/newHeads\s+162/)
    expect(await page.getByRole('table', { name: 'Filters of mainnet' }).innerText()).toMatch(/indexer\s+14/)
    expect(faults).toEqual([])
  })

  it('policy replay: where calls would go, and which would be refused', async () => {
    const { page, faults } = await open('replay')
    expect(await page.locator('.empty').innerText()).toContain('Nothing was replayed yet')
    await page.getByRole('button', { name: 'Replay' }).click()
    const mainnet = page.getByRole('table', { name: 'Replay of mainnet' })
    await expect
      .poll(() => mainnet.getByRole('row', { name: /provider/ }).innerText())
      .toMatch(/provider\s+31 \(620 units\)\s+4 \(80 units\)/)
    expect(await mainnet.getByRole('row', { name: /Median/ }).innerText()).toMatch(/18.4 ms\s+14.1 ms/)
    expect(await page.getByRole('table', { name: 'Replay of base' }).innerText()).toMatch(/own-1\s+214\s+–/)
    expect(await page.getByRole('table', { name: 'Calls that would be refused' }).innerText()).toMatch(
      /base: the network is not there\s+214/,
    )
    expect(faults).toEqual([])
    scene.gateway.broken.set('/admin/v1/replay', 503)
    await page.getByRole('button', { name: 'Replay' }).click()
    await expect.poll(() => page.locator('.notice.bad').innerText()).toContain('older values are shown')
    expect(await mainnet.count()).toBe(1)
    scene.gateway.broken.clear()
  })

  it('try it: a form of the method, the answer as text, code without the key', async () => {
    const { page, faults } = await open('try?network=mainnet')
    await page.getByLabel('Key', { exact: true }).fill('0123456789abcdef0123456789abcdef')
    await page.getByRole('combobox', { name: 'Method' }).click()
    await page.keyboard.type('balance of an account')
    await page.getByRole('listbox', { name: 'Methods' }).getByRole('option').first().click()
    expect(new URL(page.url()).searchParams.get('method')).toBe('eth_getBalance')
    await page.getByLabel('address').fill('0x00000000219ab540356cbb839cbe05303d7705fa')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await expect
      .poll(() => page.getByLabel('The answer', { exact: true }).innerText())
      .toContain('"result": "0xde0b6b3a7640000"')
    const code = page.getByLabel('The call in curl')
    expect(await code.innerText()).toMatch(/\/mainnet\/v3\/<key>'/)
    await page.getByLabel('With my key in it').check()
    expect(await code.innerText()).toContain('0123456789abcdef0123456789abcdef')

    await page.goto(`${scene.gateway.url}/console/try?network=mainnet&method=eth_nothing`)
    await settled(page)
    // The key was in the memory of the page that is gone.
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('')
    await page.getByLabel('Key', { exact: true }).fill('0123456789abcdef0123456789abcdef')
    await page.getByLabel('Params, as JSON').fill('[1')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    expect(await page.locator('form [role=alert]').innerText()).toContain('no JSON')
    await page.getByLabel('Params, as JSON').fill('[1]')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await expect.poll(() => page.getByLabel('The answer', { exact: true }).innerText()).toContain('"<b>not bold</b>"')
    expect(faults).toEqual([])
  })

  it('audit log: who changed what, with the members before and after', async () => {
    const { page, faults } = await open('audit?project=analytics')
    const row = page.getByRole('row', { name: /Changed key notebooks/ })
    expect(await row.innerText()).toContain('mona@example.com')
    await row.getByRole('button', { name: 'limits' }).click()
    await expect.poll(() => row.locator('ins').innerText()).toContain('"credits":50000')
    expect(faults).toEqual([])
  })

  it('tells what could not be loaded, keeps what it has, and tries again', async () => {
    const context = await signedIn(scene.browser, scene.gateway.url)
    await context.clock.install()
    const { page } = await openPage(context, scene.gateway.url, 'streams')
    scene.gateway.broken.set('/admin/v1/streams', 503)
    await context.clock.fastForward('00:06')
    const alert = page.locator('.notice.bad')
    await expect
      .poll(() => alert.innerText(), { timeout: 20_000 })
      .toMatch(/older values are shown[\s\S]*the store cannot be used now/)
    expect(await page.locator('.tile').count()).toBe(5)
    scene.gateway.broken.clear()
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => alert.count()).toBe(0)
    await context.close()
  })

  it('leads back by the buttons of the browser, and from an unknown address to the overview', async () => {
    const { page } = await open('networks')
    await page.getByRole('link', { name: 'Gas fees' }).click()
    await expect.poll(() => page.title()).toBe('Gas fees · Wayleave console')
    await page.goBack()
    await expect.poll(() => page.title()).toBe('Networks · Wayleave console')
    await page.goto(`${scene.gateway.url}/console/nothing`)
    await page.getByRole('link', { name: 'Go to the overview' }).click()
    await expect.poll(() => page.title()).toBe('Overview · Wayleave console')
  })
})
