import { createHash } from 'node:crypto'
import { openStores, type Stores } from '@wayleave/stores'
import { createRandom, pick } from './random.ts'

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Texts that would become markup, code or something else than they look like, wherever a page is careless. */
export const hostile = {
  script: '<script>window.hacked=1</script>',
  image: '<img src=x onerror="window.hacked=1">',
  link: 'javascript:window.hacked=1//"onclick="window.hacked=1',
  /** Reads as `admin.png` where the direction of writing turns. */
  turned: 'admin\u202egnp.exe',
  unseen: 'pay\u200bments',
}

export const methods = [
  [30, 'eth_call'],
  [18, 'eth_blockNumber'],
  [14, 'eth_getLogs'],
  [10, 'eth_getBalance'],
  [8, 'eth_getTransactionReceipt'],
  [7, 'eth_getBlockByNumber'],
  [5, 'eth_chainId'],
  [4, 'eth_estimateGas'],
  [2, 'eth_sendRawTransaction'],
  [2, 'debug_traceTransaction'],
] as const

export const projects = [
  { id: 'storefront', name: 'Storefront', weight: 40 },
  { id: 'indexer', name: 'Indexer', weight: 25 },
  { id: 'mobile-wallet', name: 'Mobile wallet', weight: 18 },
  { id: 'analytics', name: 'Analytics', weight: 10 },
  { id: 'partner-north', name: 'Partner North', weight: 4 },
  { id: 'sandbox', name: 'Sandbox', weight: 2 },
] as const

const by = (at: number, actor = 'ops') => ({ actor, at })
const day = 86_400_000

/** Fills a store as a gateway that has served for a month would. */
export async function fillStores(now: number, { keys = 0, isHostile = false, isUnused = false } = {}): Promise<Stores> {
  const stores = await openStores({ sqlite: ':memory:' })
  await fillAccounts(stores, now, isHostile)
  if (!isUnused) await fillUsage(stores, now)
  await fillPins(stores, isHostile)
  for (let i = 0; i < keys; i++) await addKey(stores, 'indexer', `bulk-${i}`, `Worker ${i}`, now - 20 * day, 'deploy')
  return stores
}

async function fillAccounts({ accounts }: Stores, now: number, isHostile: boolean): Promise<void> {
  const start = now - 30 * day
  const free = { perSecond: { credits: 500, burst: 2_000 }, perDay: { credits: 1_000_000, action: 'stop' as const } }
  await accounts.putPlan({ id: 'free', name: 'Free', limits: free }, by(start))
  const team = {
    perSecond: { credits: 5_000 },
    perMonth: { credits: 500_000_000, action: 'warn' as const, marks: [80, 100] },
  }
  await accounts.putPlan({ id: 'team', name: 'Team', limits: team }, by(start))
  const limits = { perSecond: { credits: 50_000 }, methods: { 'debug_*': { perDay: { credits: 100_000 } } } }
  await accounts.putPlan({ id: 'scale', name: 'Scale', limits }, by(start + 5 * day))
  for (const [i, { id, name }] of projects.entries()) {
    const plan = ['team', 'scale', 'team', 'free', 'free', 'free'][i]!
    const rules =
      id === 'storefront'
        ? {
            methods: ['eth_call', 'eth_blockNumber', 'eth_getLogs'],
            origins: ['https://shop.example.com', 'https://*.example.com'],
          }
        : id === 'partner-north'
          ? { sources: ['192.0.2.0/24', '2001:db8::/32'] }
          : {}
    const more = id === 'partner-north' ? { networks: ['mainnet'], requireSecret: true } : {}
    await accounts.createProject({ id, name, plan, rules, ...more, disabled: id === 'sandbox' }, by(start + i * day))
  }
  const labels = [
    ['storefront', 'web', 'Web, production'],
    ['storefront', 'web-staging', 'Web, staging'],
    ['storefront', 'checkout', 'Checkout service'],
    ['indexer', 'blocks', 'Block follower'],
    ['indexer', 'backfill', 'Backfill'],
    ['mobile-wallet', 'ios', 'iOS'],
    ['mobile-wallet', 'android', 'Android'],
    ['analytics', 'notebooks', 'Notebooks'],
    ['partner-north', 'north', 'Partner North'],
  ] as const
  for (const [i, [project, id, label]] of labels.entries())
    await addKey({ accounts }, project, id, label, start + i * day)
  await accounts.updateKey('web-staging', { expiresAt: now + 3 * day }, by(now - 2 * day))
  await accounts.updateKey('backfill', { disabled: true }, by(now - day, 'mona@example.com'))
  await accounts.updateKey(
    'notebooks',
    { limits: { perDay: { credits: 50_000, action: 'stop' } } },
    by(now - day, 'mona@example.com'),
  )
  await accounts.addSecret(
    'north',
    { id: 'secret-1', digest: sha256('a secret'), hint: '9f2c', label: 'September' },
    by(now - 9 * day),
  )
  const ages = {
    web: 4_000,
    checkout: 9_000,
    'web-staging': 3 * 3_600_000,
    blocks: 2_000,
    ios: 6_000,
    android: 5_000,
    notebooks: 2 * day,
    north: 50 * 60_000,
  }
  await accounts.touch(Object.entries(ages).map(([keyId, age]) => ({ keyId, usedAt: now - age })))
  if (!isHostile) return
  await accounts.createProject({ id: 'hostile', name: hostile.image }, by(now))
  await accounts.createProject({ id: 'turned', name: hostile.turned }, by(now))
  for (const [id, label] of Object.entries(hostile)) await addKey({ accounts }, 'hostile', `key-${id}`, label, now)
}

async function addKey(
  { accounts }: Pick<Stores, 'accounts'>,
  projectId: string,
  id: string,
  label: string,
  at: number,
  actor?: string,
): Promise<void> {
  const digest = sha256(`key ${id}`)
  await accounts.createKey({ id, projectId, digest, hint: digest.slice(0, 4), label }, by(at, actor))
}

async function fillUsage({ usage }: Stores, now: number): Promise<void> {
  const random = createRandom(7)
  const minute = Math.floor(now / 60_000)
  const keys: Readonly<Record<string, readonly string[]>> = {
    storefront: ['web', 'checkout'],
    indexer: ['blocks'],
    'mobile-wallet': ['ios', 'android'],
    analytics: ['notebooks'],
    'partner-north': ['north'],
    sandbox: [''],
  }
  const rows = []
  // Every five minutes of the last day; before that, one minute stands for six hours.
  for (let back = 0; back < 30 * 1_440; back += back < 1_440 ? 5 : 360) {
    const minutes = back < 1_440 ? 5 : 360
    const swing = dailySwing((minute - back) * 60_000)
    for (const { id, weight } of projects) {
      for (const key of keys[id]!) {
        for (const [share, method] of methods.slice(0, 8)) {
          const calls = Math.round(weight * share * minutes * 0.4 * swing * (0.8 + random() * 0.4))
          if (calls === 0) continue
          const row = {
            project: id,
            key,
            network: pick(random, [
              [6, 'mainnet'],
              [2, 'base'],
              [1, 'starknet'],
            ]),
            method,
            minute: minute - back - (minutes === 360 ? 180 : 0),
          }
          rows.push({ ...row, status: '2xx', calls, credits: calls * (method === 'eth_getLogs' ? 75 : 20) })
          if (random() < 0.1) rows.push({ ...row, status: '4xx', calls: Math.ceil(calls * 0.02), credits: 0 })
          if (random() < 0.04) rows.push({ ...row, status: '5xx', calls: Math.ceil(calls * 0.01), credits: 0 })
        }
      }
    }
  }
  await usage.add('test', 1, rows)
}

/** How busy a moment is: the evening more than the night. */
export function dailySwing(at: number): number {
  const hour = (at % day) / 3_600_000
  return 1 + 0.45 * Math.sin(((hour - 9) / 24) * 2 * Math.PI)
}

async function fillPins({ pins }: Stores, isHostile: boolean): Promise<void> {
  const names = [
    'site/index.html',
    'site/app.js',
    'avatars',
    'metadata-2026-11',
    'whitepaper.pdf',
    undefined,
    'launch-video.mp4',
  ]
  for (const [i, name] of names.entries()) {
    const cid = `bafybei${sha256(`pin ${i}`)
      .replaceAll(/[0189]/g, 'q')
      .slice(0, 52)}`
    await pins.put('storefront', {
      cid,
      type: 'recursive',
      name,
      bytes: BigInt(Math.round(900 * 7.3 ** i) % 900_000_000),
    })
  }
  if (!isHostile) return
  for (const [i, name] of Object.values(hostile).entries()) {
    const cid = `bafybei${sha256(`hostile ${i}`)
      .replaceAll(/[0189]/g, 'q')
      .slice(0, 52)}`
    await pins.put('storefront', { cid, type: 'recursive', name, bytes: 1_000n })
  }
}
