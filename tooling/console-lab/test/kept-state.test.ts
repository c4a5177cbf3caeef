import type { AdminScope } from '@wayleave/admin-api'
import type { Browser, Page, Route } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { openPage, settled, signedIn } from '../src/browse.ts'
import { type StandIn, startStandIn, tokenOf } from '../src/stand-in.ts'
import { describeConsole } from './scene.ts'

/** Holds back the answers to some requests until they are released. */
async function holdBack(page: Page, url: RegExp) {
  const held: Route[] = []
  let isReleased = false
  await page.route(url, (route) => (isReleased ? route.continue() : void held.push(route)))
  return {
    held,
    async release() {
      isReleased = true
      await Promise.all(held.map((route) => route.continue()))
    },
  }
}

async function signInAs(page: Page, scope: AdminScope): Promise<void> {
  await page.getByLabel('Admin token').fill(tokenOf(scope))
  await page.keyboard.press('Enter')
}

/** Opens two tabs of one operator, the first at a page. */
async function openTwo(browser: Browser, url: string, path: string) {
  const context = await signedIn(browser, url)
  onTestFinished(() => context.close())
  const [{ page: first }, { page: second }] = [await openPage(context, url, path), await openPage(context, url, 'gas')]
  /** Ends all sessions; somebody signs in in the second tab. */
  async function change(gateway: StandIn, scope: AdminScope): Promise<void> {
    gateway.endSessions()
    await second.reload()
    await signInAs(second, scope)
    await settled(second)
  }
  return { first, second, change }
}

/** Lets questions for the session fail while `isBroken`. */
async function breakSessions(page: Page) {
  const sessions = { isBroken: false }
  await page.route(/console\/session$/, (route) => (sessions.isBroken ? route.fulfill(broken) : route.continue()))
  return sessions
}

/** Goes to an address as Back does. */
async function goBackTo(page: Page, path: string): Promise<void> {
  await page.evaluate((href) => {
    history.replaceState(null, '', href)
    dispatchEvent(new PopStateEvent('popstate'))
  }, `/console/${path}`)
}

/** Whether somebody sees nothing but the sign-in, wherever they look. */
async function isCovered(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const places = [0.1, 0.3, 0.5, 0.7, 0.9].flatMap((x) => [0.1, 0.3, 0.5, 0.7, 0.9].map((y) => [x, y] as const))
    return places.every(
      ([x, y]) => document.elementFromPoint(x * innerWidth, y * innerHeight)?.closest('dialog.sign-in') != null,
    )
  })
}

const broken = { status: 500, json: { title: 'Broken', status: 500, code: 'internal', detail: 'it broke' } }

describeConsole('what the console keeps, and what it forgets', { callsPerSecond: 40, isUnused: true }, (scene) => {
  it('keeps a new key before the reader, however often Escape is pressed, and shows the next one', async () => {
    const { page } = await scene.open('projects?project=storefront')
    const secret = page.getByLabel('The new key')
    const create = async (): Promise<string> => {
      await page.getByRole('button', { name: 'New key' }).first().click()
      await page.getByRole('button', { name: 'Create key' }).click()
      await secret.waitFor()
      return secret.innerText()
    }
    const first = await create()
    for (let i = 0; i < 5; i++) {
      await page.keyboard.press('Escape')
      await page.waitForTimeout(30)
      expect(await secret.isVisible()).toBe(true)
    }
    await page.getByRole('button', { name: 'I have stored it' }).click()
    expect(await create()).not.toBe(first)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await expect.poll(() => page.locator('dialog').count()).toBe(0)
  })

  it('shows no explanation of another call while the one of a call is on its way', async () => {
    const { page } = await scene.open('inspector')
    let asked = 0
    await page.route(/\/explain\//, (route) => {
      if (++asked > 1) return
      const call = { attempts: [], candidates: [], cause: 'the words of the first' }
      return route.fulfill({ json: { calls: [{ ...call, id: new URL(route.request().url()).pathname.slice(9) }] } })
    })
    await page.locator('.tail-row').nth(5).waitFor()
    await page.locator('.tail').hover()
    await page.locator('.tail-row').nth(1).click()
    await expect.poll(() => page.locator('.details').innerText()).toContain('the words of the first')
    await page.locator('.tail-row').nth(3).click()
    await expect.poll(() => asked).toBe(2)
    expect(await page.locator('.details').innerText()).not.toContain('the words of the first')
  })

  it('shows no values of another range where those of the chosen one fail', async () => {
    const { page } = await scene.open('?range=1h')
    await page.route(/\/admin\/v1\/traffic/, (route) => route.fulfill(broken))
    await page.getByRole('button', { name: '6 hours' }).click()
    await expect.poll(() => page.locator('.notice.bad').first().innerText()).toContain('it broke')
    expect(await page.locator('.notice.bad').first().innerText()).not.toContain('older values')
    expect(await page.locator('.tile').count()).toBe(0)
  })

  it('asks once more where a reload falls into a poll', async () => {
    const context = await signedIn(scene.browser, scene.gateway.url)
    await context.clock.install()
    const { page } = await openPage(context, scene.gateway.url, 'networks')
    const polls = await holdBack(page, /\/status$/)
    await context.clock.fastForward('00:06')
    await expect.poll(() => polls.held.length).toBe(1)
    await page.getByRole('button', { name: 'Cordon own-2 of mainnet' }).click()
    const cordoned = page.waitForResponse(/\/cordon$/)
    await page.getByRole('button', { name: 'Cordon', exact: true }).click()
    await cordoned
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    const again = page.waitForRequest(/\/status$/, { timeout: 3_000 })
    await polls.release()
    await again
    await page.getByRole('button', { name: 'Undo' }).click()
    await context.close()
  })

  it('tells, follows and ends uploads that began before twenty others', async () => {
    const { page } = await scene.open('ipfs?project=indexer')
    const adding = await holdBack(page, /\/api\/v0\/add/)
    const files = Array.from({ length: 30 }, (_, i) => ({
      name: `file-${i}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from(String(i)),
    }))
    await page.locator('input[type=file]').setInputFiles(files)
    await expect.poll(() => adding.held.length).toBe(2)
    expect(await page.locator('.upload', { hasText: 'file-0.txt' }).count()).toBe(1)
    await page.getByRole('button', { name: /^Cancel the upload of file-0.txt/ }).click()
    await expect.poll(() => adding.held.length).toBe(3)
    await page.getByRole('link', { name: 'Gas fees' }).click()
    await expect.poll(() => adding.held.filter((route) => route.request().failure() !== null).length).toBe(3)
  })

  it('try it: a network of another kind brings its form; the focus and the secret stay', async () => {
    const { page } = await scene.open('try?network=mainnet')
    await page.route(/\/openrpc\/starknet/, async (route) => {
      await page.waitForTimeout(300)
      await route.fulfill({
        json: {
          methods: [{ name: 'starknet_blockNumber', params: [{ name: 'felt', schema: { type: 'string' } }] }],
        },
      })
    })
    await page.getByText('The project asks for a secret, too').click()
    await page.getByLabel('Secret of the key').fill('my secret')
    await page.getByRole('combobox', { name: 'Method' }).click()
    await page.keyboard.type('eth_getBalance')
    await page.keyboard.press('Enter')
    await page.getByLabel('address').waitFor()
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT')
    expect(await page.getByLabel('Secret of the key').inputValue()).toBe('my secret')
    await page.getByLabel('Network').selectOption('starknet')
    await expect.poll(() => page.getByLabel('felt').count()).toBe(1)
    expect(await page.getByLabel('Params, as JSON').count()).toBe(0)
  })

  it('try it: sends integers beyond 2^53 as they were written, and a secret in any letters', async () => {
    const { page } = await scene.open('try?network=mainnet&method=eth_nothing')
    await page.getByLabel('Key', { exact: true }).fill('0123456789abcdef0123456789abcdef')
    await page.getByText('The project asks for a secret, too').click()
    await page.getByLabel('Secret of the key').fill('ключ')
    await page.getByLabel('Params, as JSON').fill('[9007199254740993]')
    expect(await page.getByLabel('The call in curl').innerText()).toContain('[9007199254740993]')
    const sent = page.waitForRequest((request) => request.method() === 'POST' && /\/v3\//.test(request.url()))
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    const request = await sent
    expect(request.postData()).toContain('"params":[9007199254740993]')
    expect(await request.headerValue('authorization')).toBe(`Basic ${Buffer.from(':ключ').toString('base64')}`)
  })

  it('inspector: other filters end a pause', async () => {
    const { page } = await scene.open('inspector')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByLabel('Outcome').selectOption('answered')
    await expect.poll(() => page.locator('.panel-head .badge').first().innerText()).toBe('live')
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(1)
  })

  it('networks: warns of the last one only, and keeps the reason where the gateway refuses', async () => {
    const { page } = await scene.open('networks')
    const cordon = page.locator('dialog')
    await page.getByRole('button', { name: 'Cordon provider of base' }).click()
    await cordon.waitFor()
    expect(await cordon.innerText()).not.toContain('No other upstream')
    await page.getByLabel('Reason').fill('a long story')
    await page.route(/\/cordon$/, (route) => route.fulfill(broken))
    await page.getByRole('button', { name: 'Cordon', exact: true }).click()
    await expect.poll(() => cordon.innerText()).toContain('it broke')
    expect(await page.getByLabel('Reason').inputValue()).toBe('a long story')
  })

  it('networks: what was told can be undone, or closed, while a dialog is open', async () => {
    const { page, faults } = await scene.open('networks')
    const row = page.getByRole('row', { name: /own-2/ }).first()
    await page.getByRole('button', { name: 'Cordon own-2 of mainnet' }).click()
    await page.getByRole('button', { name: 'Cordon', exact: true }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await page.getByRole('button', { name: 'Cordon own-1 of mainnet' }).click()
    await page.getByLabel('Reason').fill('not yet')
    await page.getByRole('button', { name: 'Undo' }).click({ timeout: 3_000 })
    await expect.poll(() => row.innerText()).toMatch(/own-2\s+up/)
    await page.getByRole('button', { name: 'Close this message' }).click({ timeout: 3_000 })
    expect(await page.getByLabel('Reason').inputValue()).toBe('not yet')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('dialog').count()).toBe(0)
    expect(faults).toEqual([])
  })

  it('networks: what is told in a dialog outlasts it', async () => {
    const { page } = await scene.open('networks')
    await page.getByRole('button', { name: 'Cordon own-2 of mainnet' }).click()
    await page.getByRole('button', { name: 'Cordon', exact: true }).click()
    await page.getByRole('button', { name: 'Cordon own-1 of mainnet' }).click()
    await page.getByLabel('Reason').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('dialog').count()).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => page.locator('.toast').last().innerText()).toContain('is used again')
  })

  it('goes on in both tabs when somebody signs in in one', async () => {
    const context = await scene.browser.newContext()
    const [first, second] = [await context.newPage(), await context.newPage()]
    for (const page of [first, second]) await page.goto(`${scene.gateway.url}/console/gas`)
    await signInAs(second, 'all')
    for (const page of [first, second]) await settled(page)
    await first.getByRole('link', { name: 'Networks' }).click()
    await first.getByRole('table', { name: 'Upstreams of base' }).waitFor({ timeout: 5_000 })
    for (const page of [first, second]) {
      await page.reload()
      await settled(page)
      expect(await page.locator('h1').innerText()).not.toContain('Sign in')
    }
    await context.close()
  })

  it('forgets the key in hand and what it told when somebody signs out', async () => {
    // Signing out ends all sessions of a stand-in.
    await using gateway = await startStandIn({ isUnused: true })
    const context = await signedIn(scene.browser, gateway.url)
    const { page } = await openPage(context, gateway.url, 'networks')
    await page.getByRole('button', { name: 'Cordon own-2 of mainnet' }).click()
    await page.getByRole('button', { name: 'Cordon', exact: true }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await page.getByRole('link', { name: 'Try it' }).click()
    await page.getByLabel('Key', { exact: true }).fill('0123456789abcdef0123456789abcdef')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Admin token').waitFor()
    expect(await page.locator('.toast').count()).toBe(0)
    await page.getByLabel('Admin token').fill(tokenOf('all'))
    await page.keyboard.press('Enter')
    await settled(page)
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('')
    await context.close()
  })

  it('keeps what was typed in a form while the operator signs in again', async () => {
    await using gateway = await startStandIn({ isUnused: true })
    const context = await signedIn(scene.browser, gateway.url)
    const { page, faults } = await openPage(context, gateway.url, 'projects?project=storefront')
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('Label', { exact: true }).fill('Typed before')
    gateway.endSessions()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('Your session has ended').waitFor()
    await page.mouse.click(5, 5)
    for (let i = 0; i < 3; i++) await page.keyboard.press('Escape')
    await page.getByLabel('Admin token').fill(tokenOf('all'))
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('dialog').innerText()).toContain('Do it again')
    expect(await page.getByLabel('Admin token').count()).toBe(0)
    expect(await page.getByLabel('Label', { exact: true }).inputValue()).toBe('Typed before')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await expect.poll(() => page.getByRole('table', { name: 'Keys' }).innerText()).toContain('Typed before')
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([])
    await context.close()
  })

  it('loads what a session that ended has left out', async () => {
    await using gateway = await startStandIn({ isUnused: true })
    const context = await signedIn(scene.browser, gateway.url)
    const { page } = await openPage(context, gateway.url, 'projects?project=storefront&tab=rules')
    await page.getByLabel('Source addresses').fill('192.0.2.1')
    gateway.endSessions()
    await page.getByRole('link', { name: 'Keys', exact: true }).click()
    await page.getByLabel('Admin token').fill(tokenOf('all'))
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('table', { name: 'Keys' }).innerText()).toContain('Checkout service')
    expect(await page.locator('.notice.bad').count()).toBe(0)
    expect(gateway.asked.filter((line) => line.includes('/keys?')).length).toBeLessThan(5)
    await context.close()
  })

  it('shows another operator nothing of the one before', async () => {
    await using gateway = await startStandIn({ isUnused: true })
    const context = await signedIn(scene.browser, gateway.url)
    const { page } = await openPage(context, gateway.url, 'try?network=mainnet')
    await page.getByLabel('Key', { exact: true }).fill('0123456789abcdef0123456789abcdef')
    await page.getByText('The project asks for a secret, too').click()
    await page.getByLabel('Secret of the key').fill('my secret')
    gateway.endSessions()
    await page.getByLabel('Network').selectOption('starknet')
    const covered = await page.getByLabel('Admin token').evaluate(async (field) => {
      const { x, y } = document.querySelector('#main')!.getBoundingClientRect()
      return document.elementFromPoint(Math.max(1, x), Math.max(1, y))?.contains(field)
    })
    expect(covered).toBe(true)
    await page.getByLabel('Admin token').fill(tokenOf('read'))
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.side .who').innerText()).toContain('t-read')
    await settled(page)
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('')
    expect(await page.getByLabel('Secret of the key').inputValue()).toBe('')
    await context.close()
  })

  it('goes on, or forgets, with another tab of the same operator', async () => {
    await using gateway = await startStandIn({ isUnused: true })
    const context = await signedIn(scene.browser, gateway.url)
    await context.clock.install()
    const [{ page: first }, { page: second }] = [
      await openPage(context, gateway.url, 'streams'),
      await openPage(context, gateway.url, 'try?network=mainnet'),
    ]
    gateway.endSessions()
    await context.clock.fastForward('00:06')
    await first.getByLabel('Admin token').waitFor({ timeout: 20_000 })
    await second.getByRole('link', { name: 'Networks', exact: true }).click()
    await second.getByLabel('Admin token').fill(tokenOf('all'))
    await second.keyboard.press('Enter')
    await settled(second)
    await first.getByLabel('Admin token').waitFor({ state: 'detached', timeout: 20_000 })
    await second.getByRole('button', { name: 'Sign out' }).click()
    await first.getByText('You have signed out.').waitFor()
    expect(await first.locator('.frame').count()).toBe(0)
    await context.close()
  })

  it('shows another operator, who signs in in a second tab, nothing of the first one, and does nothing of it', async () => {
    await using gateway = await startStandIn({ isUnused: true })
    const { first, change } = await openTwo(scene.browser, gateway.url, 'projects?project=storefront')
    await first.getByRole('button', { name: 'New key' }).first().click()
    await first.getByLabel('Label', { exact: true }).fill('Typed before')
    const sessions = await breakSessions(first)
    sessions.isBroken = true
    await change(gateway, 'accounts')
    await expect.poll(() => isCovered(first)).toBe(true)
    await first.waitForTimeout(500)
    expect(await isCovered(first)).toBe(true)
    sessions.isBroken = false
    await expect.poll(() => first.locator('.side .who').innerText(), { timeout: 5_000 }).toContain('t-accounts')
    // The address stays, and so another dialog opens.
    await settled(first)
    expect(await first.getByLabel('Label', { exact: true }).inputValue()).toBe('')
    expect(gateway.asked.filter((line) => line.startsWith('POST'))).toEqual([])
  })

  it('does not repeat under another session what was to be done under one that ended', async () => {
    await using gateway = await startStandIn({ isUnused: true })
    const context = await signedIn(scene.browser, gateway.url)
    const { page } = await openPage(context, gateway.url, 'projects?project=storefront')
    const slow = await holdBack(page, /storefront\/keys$/)
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByRole('button', { name: 'Create key' }).click()
    await expect.poll(() => slow.held.length).toBe(1)
    await page.keyboard.press('Escape')
    gateway.endSessions()
    await page.getByRole('link', { name: 'Networks', exact: true }).click()
    await signInAs(page, 'accounts')
    await expect.poll(() => page.locator('.side .who').innerText()).toContain('t-accounts')
    const refused = page.waitForResponse(/storefront\/keys$/)
    await slow.release()
    expect((await refused).status()).toBe(401)
    await page.waitForTimeout(300)
    expect(gateway.asked.filter((line) => line.startsWith('POST'))).toHaveLength(1)
    await context.close()
  })

  it('shows no dialog over the sign-in, and each of them after it', async () => {
    await using gateway = await startStandIn({ isUnused: true })
    const { first, second, change } = await openTwo(scene.browser, gateway.url, 'projects?project=storefront')
    const sessions = await breakSessions(first)
    const secret = first.getByLabel('The new key')
    const label = first.getByLabel('Label', { exact: true })
    const isStillCovered = async (): Promise<void> => {
      for (let i = 0; i < 3; i++) {
        await first.keyboard.press('Escape')
        await first.waitForTimeout(50)
        expect(await isCovered(first)).toBe(true)
      }
    }
    const end = async (): Promise<void> => {
      sessions.isBroken = true
      await change(gateway, 'all')
      await expect.poll(() => isCovered(first)).toBe(true)
    }

    // One that comes with the address.
    await end()
    await goBackTo(first, 'projects?project=storefront&new=key')
    await label.waitFor({ state: 'attached' })
    await isStillCovered()
    sessions.isBroken = false
    await label.waitFor()
    await first.keyboard.type('Typed')
    expect(await label.inputValue()).toBe('Typed')

    // One that comes with a late answer.
    let answer: (() => Promise<void>) | undefined
    await first.route(/storefront\/keys$/, async (route) => {
      const response = await route.fetch()
      answer = () => route.fulfill({ response })
    })
    await first.getByRole('button', { name: 'Create key' }).click()
    await expect.poll(() => answer).toBeDefined()
    await end()
    await answer!()
    await secret.waitFor({ state: 'attached' })
    await isStillCovered()
    sessions.isBroken = false
    await secret.waitFor()

    // One that was there before, and that Escape does not close.
    const text = await secret.innerText()
    await end()
    await isStillCovered()
    sessions.isBroken = false
    await secret.waitFor()
    expect(await secret.innerText()).toBe(text)
    await first.getByRole('button', { name: 'I have stored it' }).click()
    await expect.poll(() => first.locator('dialog').count()).toBe(0)
    expect(await second.locator('dialog').count()).toBe(0)
  })

  it('leaves a new session alone where a sign-out from the one before is slow', async () => {
    await using gateway = await startStandIn({ isUnused: true })
    const { first, second, change } = await openTwo(scene.browser, gateway.url, 'networks')
    let answer: (() => Promise<void>) | undefined
    await first.route(/console\/session$/, async (route) => {
      if (route.request().method() !== 'DELETE') await route.continue()
      else answer = () => route.fulfill({ status: 204 })
    })
    await first.getByRole('button', { name: 'Sign out' }).click()
    await expect.poll(() => answer).toBeDefined()
    await change(gateway, 'read')
    await answer!()
    await first.waitForTimeout(300)
    for (const page of [first, second]) {
      await page.getByRole('link', { name: 'Subscriptions', exact: true }).click()
      await settled(page)
      expect(await page.locator('.side .who').innerText()).toContain('t-read')
      expect(await page.getByLabel('Admin token').count()).toBe(0)
    }
  })

  it('stays signed out where it was asking for the session as another tab signed out', async () => {
    await using gateway = await startStandIn({ isUnused: true })
    const { first, second, change } = await openTwo(scene.browser, gateway.url, 'gas')
    const answers: (() => Promise<void>)[] = []
    await first.route(/console\/session$/, async (route) => {
      if (answers.length > 0) return route.continue()
      const response = await route.fetch()
      answers.push(() => route.fulfill({ response }))
    })
    await change(gateway, 'all')
    await expect.poll(() => answers.length).toBe(1)
    await second.getByRole('button', { name: 'Sign out' }).click()
    await first.getByText('You have signed out.').waitFor()
    await answers[0]!()
    await first.waitForTimeout(300)
    expect(await first.locator('.frame').count()).toBe(0)
    await signInAs(first, 'all')
    await settled(first)
    expect(await first.locator('.side .who').innerText()).toContain('t-all')
  })

  it('forgets the page of a session ten minutes after that has ended', async () => {
    await using gateway = await startStandIn({ isUnused: true })
    const context = await signedIn(scene.browser, gateway.url)
    await context.clock.install()
    const { page } = await openPage(context, gateway.url, 'try?network=mainnet')
    await page.getByLabel('Key', { exact: true }).fill('0123456789abcdef0123456789abcdef')
    gateway.endSessions()
    await page.getByLabel('Network').selectOption('starknet')
    await page.getByLabel('Admin token').waitFor()
    await context.clock.fastForward('09:30')
    await page.waitForTimeout(100)
    expect(await page.locator('.frame').count()).toBe(1)
    await context.clock.fastForward('01:00')
    await expect.poll(() => page.locator('.frame').count()).toBe(0)
    await page.getByText('Your session has ended').waitFor()
    await signInAs(page, 'all')
    await settled(page)
    expect(new URL(page.url()).search).toBe('?network=starknet')
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('')
    await context.close()
  })

  it('shows the page before where the last row of a page was removed', async () => {
    const { page } = await scene.open('')
    const pins = Array.from({ length: 51 }, (_, i) => ({
      cid: `bafy${i}`,
      type: 'recursive',
      name: `pin ${i}`,
      bytes: 1,
    }))
    await page.route(/\/pins\?/, (route) => route.fulfill({ json: { items: pins } }))
    await page.route(/\/pin\/rm/, (route) => route.fulfill({ json: { Pins: [] } }))
    await page.goto(`${scene.gateway.url}/console/ipfs?project=indexer`)
    await page.getByRole('button', { name: 'Next page of pins' }).click()
    await page.getByRole('button', { name: 'Unpin pin 50' }).click()
    await page.getByRole('button', { name: 'Unpin', exact: true }).click()
    await expect.poll(() => page.getByRole('table', { name: 'Pins' }).locator('tbody tr').count()).toBe(50)
  })

  it('tells of a page that fails, and opens it again', async () => {
    const { page } = await scene.open('')
    await page.route(/\/admin\/v1\/streams/, (route) => route.fulfill({ json: { items: [{}] } }))
    await page.getByRole('link', { name: 'Subscriptions' }).click()
    await expect.poll(() => page.locator('.notice.bad').innerText()).toContain('The page itself failed')
    await page.unroute(/\/admin\/v1\/streams/)
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => page.locator('.tile').count()).toBe(5)
  })

  it('says that an answer is no JSON', async () => {
    const { page } = await scene.open('')
    await page.route(/\/admin\/v1\/streams/, (route) =>
      route.fulfill({ body: '<p>Portal</p>', contentType: 'text/html' }),
    )
    await page.getByRole('link', { name: 'Subscriptions' }).click()
    await expect.poll(() => page.locator('.notice.bad').innerText()).toContain('is no JSON')
  })

  it('audit log: older entries that come after a reload leave no hole', async () => {
    const { page } = await scene.open('')
    const entry = (seq: number) => ({ seq, actor: `actor-${seq}`, action: 'key.put', kind: 'key', id: 'x', at: 0 })
    let slow: Route | undefined
    let turn = 0
    await page.route(/\/admin\/v1\/audit/, async (route) => {
      if (route.request().url().includes('after=')) return void (slow = route)
      await route.fulfill({ json: { items: [entry(turn++ === 0 ? 9 : 99)], next: `n${turn}` } })
    })
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByRole('button', { name: 'Load older ones' }).click()
    await expect.poll(() => slow).toBeDefined()
    await page.getByRole('button', { name: 'Reload' }).click()
    await expect.poll(() => page.locator('tbody').innerText()).toContain('actor-99')
    await slow!.fulfill({ json: { items: [entry(8)], next: 'n9' } }).catch(() => undefined)
    await page.waitForTimeout(300)
    expect(await page.locator('tbody tr').count()).toBe(1)
  })

  it('keeps a key that is created while the list still comes in', async () => {
    const { page } = await scene.open('')
    const key = (id: string) => ({ id, label: id, hint: '', secrets: [], source: 'store', disabled: false })
    let last: Route | undefined
    await page.route(/\/keys\?/, (route) => {
      if (route.request().url().includes('after=')) return void (last = route)
      return route.fulfill({ json: { items: [key('of-the-first-page')], next: 'more' } })
    })
    await page.getByRole('link', { name: 'Projects and keys' }).click()
    await page.getByRole('link', { name: 'Storefront' }).click()
    await page.getByRole('button', { name: 'New key' }).first().click()
    await page.getByLabel('Label', { exact: true }).fill('Put meanwhile')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    const keys = page.getByRole('table', { name: 'Keys' })
    await expect.poll(() => keys.innerText()).toContain('Put meanwhile')
    await last!.fulfill({ json: { items: [key('of-the-second-page')] } })
    await expect.poll(() => keys.innerText()).toContain('of-the-second-page')
    expect(await keys.innerText()).toContain('Put meanwhile')
  })

  it('lists each of the files that were added together', async () => {
    const { page } = await scene.open('ipfs?project=indexer')
    const { held } = await holdBack(page, /\/api\/v0\/add/)
    const files = ['a', 'b'].map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) }))
    await page.locator('input[type=file]').setInputFiles(files)
    for (const [i, name] of ['a', 'b'].entries()) {
      await expect.poll(() => held.length).toBe(2)
      await held[i]!.continue()
      await page.getByRole('button', { name: `Unpin ${name}` }).waitFor()
    }
  })

  it('shows no bars and no empty row of actions where a list cannot be loaded', async () => {
    const { page } = await scene.open('')
    await page.route(/\/admin\/v1\/projects/, (route) => route.fulfill(broken))
    for (const name of ['IPFS', 'Projects and keys']) {
      await page.getByRole('link', { name }).click()
      await expect.poll(() => page.locator('h1').innerText()).toBe(name)
      await expect.poll(() => page.locator('.notice.bad').innerText()).toContain('it broke')
      expect(await page.locator('.skeleton, .page-actions:empty').count()).toBe(0)
    }
  })

  it('a project: usage begins with a range that is offered', async () => {
    const { page } = await scene.open('projects?project=storefront&tab=usage')
    expect(await page.locator('main .segments [aria-pressed=true]').innerText()).toContain('1h')
  })
})
