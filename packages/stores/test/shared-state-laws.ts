import type { SharedStores, SharedView } from '@wayleave/stores/shared-state'
import { expect, it } from 'vitest'

/** The processes over one port. */
export interface SharedScene {
  /** Starts one more process. */
  join(): Promise<SharedStores>
}

const date = Date.UTC(2026, 10, 23)
const day = 86_400_000
const now = (): number => performance.now()

async function until(ready: () => boolean): Promise<void> {
  await expect.poll(ready, { interval: 5, timeout: 10_000 }).toBe(true)
}

/** The laws of state in one process: they hold whether others share it or not, and whether these can be reached or not. */
export function lawsOfOneProcess(begin: () => Promise<SharedScene>): void {
  it('a head that was announced is raised, and set back only by name', async () => {
    const view = (await (await begin()).join()).view('n')
    expect(view.head).toBe(0)
    view.raise(500)
    view.raise(499)
    expect(view.head).toBe(500)
    view.lower(498)
    expect(view.head).toBe(498)
  })

  it('a nonce is raised, and forgotten a minute after it was announced last', async () => {
    const view = (await (await begin()).join()).view('n')
    expect(view.nonceOf('0xa', 0)).toBe(0)
    view.raiseNonce('0xa', 44, 0)
    view.raiseNonce('0xa', 43, 1_000)
    expect([view.nonceOf('0xa', 59_999), view.nonceOf('0xb', 0)]).toEqual([44, 0])
    view.raiseNonce('0xa', 44, 50_000)
    expect([view.nonceOf('0xa', 109_999), view.nonceOf('0xa', 110_000)]).toEqual([44, 0])
    view.raiseNonce('0xa', 3, 110_000)
    expect(view.nonceOf('0xa', 110_001)).toBe(3)
  })

  it('no more than ten thousand senders are remembered: the one announced longest ago goes first', async () => {
    const view = (await (await begin()).join()).view('n')
    for (let i = 0; i < 10_000; i++) view.raiseNonce(`s${i}`, 1, 0)
    view.raiseNonce('s0', 2, 1)
    view.raiseNonce('new', 1, 1)
    expect(['s0', 's1', 's2', 'new'].map((sender) => view.nonceOf(sender, 2))).toEqual([2, 0, 1, 1])
  })

  it('a cordon holds at once, until it is lifted, and each change is reported', async () => {
    const { cordons } = await (await begin()).join()
    let changes = 0
    const stop = cordons.watch(() => changes++)
    void cordons.cordon('n', 'a', 'repair')
    void cordons.cordon('n', 'b', '')
    void cordons.cordon('n', 'a', 'upgrade')
    expect(cordons.list()).toMatchObject([
      { network: 'n', upstream: 'b', reason: '' },
      { network: 'n', upstream: 'a', reason: 'upgrade' },
    ])
    void cordons.uncordon('n', 'a')
    expect([cordons.isCordoned('n', 'a'), cordons.isCordoned('n', 'b'), changes]).toEqual([false, true, 4])
    stop()
    void cordons.uncordon('n', 'b')
    expect([cordons.list(), changes]).toEqual([[], 4])
  })

  it('views and counts are the same ones for the same name', async () => {
    const stores = await (await begin()).join()
    expect(stores.view('n')).toBe(stores.view('n'))
    expect(stores.spend('plan')).toBe(stores.spend('plan'))
  })
}

/** The laws of state that several processes share. */
export function lawsOfSeveralProcesses(begin: () => Promise<SharedScene>): void {
  async function pair(): Promise<{ scene: SharedScene; one: SharedStores; two: SharedStores }> {
    const scene = await begin()
    return { scene, one: await scene.join(), two: await scene.join() }
  }

  it('heads and nonces that one process announced are known to all others, and to those that start later', async () => {
    const { scene, one, two } = await pair()
    const [a, b] = [one.view('mainnet'), two.view('mainnet')]
    await b.settled!()
    a.raise(100)
    a.raiseNonce('0xa', 7, now())
    expect([a.head, a.nonceOf('0xa', now())]).toEqual([100, 7])
    await a.settled!()
    await until(() => b.head === 100 && b.nonceOf('0xa', now()) === 7)
    b.raise(99)
    b.raiseNonce('0xa', 6, now())
    await b.settled!()
    expect([b.head, b.nonceOf('0xa', now()), two.view('sepolia').head]).toEqual([100, 7, 0])
    const late = (await scene.join()).view('mainnet')
    await late.settled!()
    await until(() => late.head === 100 && late.nonceOf('0xa', now()) === 7)
  })

  it('a head that was set back goes back everywhere, and nothing of before brings it up again', async () => {
    const { scene, one, two } = await pair()
    const [a, b] = [one.view('n'), two.view('n')]
    a.raise(100)
    await a.settled!()
    await until(() => b.head === 100)
    b.lower(90)
    await until(() => a.head === 90)
    a.raise(91)
    await until(() => b.head === 91)
    const late = (await scene.join()).view('n')
    await until(() => late.head === 91)
  })

  it('one head is kept where several go up and back at once', async () => {
    const { scene, one, two } = await pair()
    const views: SharedView[] = [one, two, await scene.join()].map((each) => each.view('n'))
    await Promise.all(views.map((view) => view.settled!()))
    views.forEach((view, i) => {
      for (let head = 1; head < 200; head++) view.raise(head * (i + 1))
      view.lower(50 + i)
      view.raise(60 + i)
    })
    await until(() => views.every(({ head }) => head === 62))
  })

  it('the upstream that has a head, and its hash, are reported to the others once', async () => {
    const { scene, one, two } = await pair()
    const [a, b] = [one.view('n'), two.view('n')]
    await b.settled!()
    const heard: unknown[] = []
    const own: unknown[] = []
    b.watch((head, source) => heard.push([head, source]))
    a.watch((head, source) => own.push([head, source]))
    a.raise(100, { by: 'node-1' })
    await a.settled!()
    await until(() => b.head === 100)
    a.raise(100, { by: 'node-1', hash: '0xa' })
    a.raise(100, { by: 'node-2', hash: '0xa' })
    a.raise(100, { by: 'node-2' })
    await a.settled!()
    await until(() => heard.length > 1)
    b.raise(100, { hash: '0xa' })
    b.raise(101, { hash: '0xb' })
    await b.settled!()
    await until(() => a.head === 101 && own.length > 0)
    expect(heard).toEqual([
      [100, { by: 'node-1', hash: undefined }],
      [100, { by: 'node-1', hash: '0xa' }],
    ])
    expect(own).toEqual([[101, { by: undefined, hash: '0xb' }]])
    const late = (await scene.join()).view('n')
    const known: unknown[] = []
    late.watch((head, { hash }) => known.push([head, hash]))
    await until(() => known.length === 2)
    expect(known).toEqual([
      [100, '0xa'],
      [101, '0xb'],
    ])
  })

  it('a name that one process uses is known to all others, to those that start later, and is reported once', async () => {
    const { scene, one, two } = await pair()
    const [a, b] = [one.pushes('n'), two.pushes('n')]
    await b.settled!()
    const heard: unknown[] = []
    b.watch((...name) => heard.push(name))
    a.use('hashes', 'project-1')
    a.use('hashes', 'project-2')
    await a.settled!()
    await until(() => heard.length > 0)
    b.use('hashes', 'project-3')
    await b.settled!()
    expect(heard).toEqual([['hashes', 'project-1']])
    expect([a, b].map((each) => [each.isUsed('hashes'), each.isUsed('other')])).toEqual([
      [true, false],
      [true, false],
    ])
    const late = (await scene.join()).pushes('n')
    await late.settled!()
    await until(() => late.isUsed('hashes'))
    const known: unknown[] = []
    late.watch((...name) => known.push(name))
    expect(known).toEqual([['hashes', 'project-1']])
  })

  it('the last 10,000 senders are known to a process that starts later', { timeout: 30_000 }, async () => {
    const { scene, one } = await pair()
    const view = one.view('n')
    for (let i = 0; i < 10_050; i++) view.raiseNonce(`0x${i}`, 1, now())
    await view.settled!()
    const known = (each: SharedView): number =>
      Array.from({ length: 10_050 }, (_, i) => each.nonceOf(`0x${i}`, now())).filter(Boolean).length
    expect(known(view)).toBe(10_000)
    const late = (await scene.join()).view('n')
    await until(() => known(late) === 10_000)
    expect(late.nonceOf('0x10049', now())).toBe(1)
  })

  it('what was set before is passed on before a view is settled, however much comes after', async () => {
    const { one, two } = await pair()
    await two.view('n').settled!()
    let isOver = false
    let senders = 0
    const more = (): void => {
      one.view('n').raiseNonce(`0x${++senders}`, 1, now())
      if (!isOver) setImmediate(more)
    }
    more()
    for (let head = 1; head <= 20; head++) {
      one.view('n').raise(head)
      await one.view('n').settled!()
      await until(() => two.view('n').head === head)
      await new Promise((resolve) => setImmediate(resolve))
    }
    isOver = true
    expect(senders).toBeGreaterThan(20)
  })

  it('a cordon holds in every process, also in one that starts later, until any of them lifts it', async () => {
    const { scene, one, two } = await pair()
    let reported = 0
    two.cordons.watch(() => reported++)
    expect(await one.cordons.cordon('mainnet', 'a', 'repair')).toBe(true)
    await until(() => two.cordons.isCordoned('mainnet', 'a'))
    expect(reported).toBe(1)
    expect(two.cordons.isCordoned('mainnet', 'b')).toBe(false)
    expect(two.cordons.list()).toMatchObject([{ network: 'mainnet', upstream: 'a', reason: 'repair' }])
    const late = await scene.join()
    await until(() => late.cordons.isCordoned('mainnet', 'a'))
    expect(await two.cordons.uncordon('mainnet', 'a')).toBe(true)
    await until(() => ![one, late].some(({ cordons }) => cordons.isCordoned('mainnet', 'a')))
    expect(one.cordons.list()).toEqual([])
    // It may be set again, and by any of them.
    await late.cordons.cordon('mainnet', 'a', 'again')
    await until(() => [one, two].every(({ cordons }) => cordons.isCordoned('mainnet', 'a')))
  })

  it('units of a plan that one spends are missing for all, in this day and month, and in each its share is left', async () => {
    const { scene, one: first, two: second } = await pair()
    const [one, two] = [first.spend('mainnet:paid'), second.spend('mainnet:paid')]
    // Nothing is spent before it is known what others have.
    expect([one.share(), one.left('day', 1_000, date)]).toEqual([0, 0])
    two.add(0, date)
    const left = (limit: number): number[] => [one, two].map((each) => each.left('day', limit, date))
    await expect.poll(() => [left(1_000), one.share(), two.share()]).toEqual([[500, 500], 0.5, 0.5])
    for (let i = 0; i < 100; i++) one.add(2, date)
    one.add(0.5, date)
    expect(one.left('day', 1_000.5, date)).toBe(500.25 - 200.5)
    await expect.poll(() => left(1_000.5)).toEqual([400, 400])
    expect(two.left('month', 200.5, date)).toBe(0)
    // The next day has its own, the month goes on.
    expect(two.left('day', 1_000, date + day)).toBe(500)
    two.add(10, date + day)
    await expect.poll(() => two.left('month', 1_000.5, date + day)).toBe(395)
    // A process that starts later knows what was spent.
    const late = (await scene.join()).spend('mainnet:paid')
    late.add(0, date)
    await expect.poll(() => late.left('day', 1_000.5, date)).toBeCloseTo(800 / 3, 8)
    await expect.poll(() => [one, two].map((each) => (each.left('day', 0, date), each.share()))).toEqual([1 / 3, 1 / 3])
  })
}
