// `pnpm --filter @wayleave/console-lab first-load`: what the first page costs, in bytes and in time, with nothing cached.
import { parseArgs } from 'node:util'
import { launch, signedIn } from './browse.ts'
import { startStandIn } from './stand-in.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '11' } } })

interface Load {
  readonly requests: number
  readonly bytes: number
  /** Until the numbers of the overview are there, in ms. */
  readonly shownMs: number
  /** Until the page's thread also has nothing to do for 50 ms, in ms. */
  readonly idleMs: number
  /** The time for which the page's thread worked, in ms: what a machine with nothing else to do would take, without the network. */
  readonly workMs: number
}

await using gateway = await startStandIn()
const browser = await launch()
const context = await signedIn(browser, gateway.url)
const loads: Load[] = []
for (let round = 0; round < Number(values.rounds); round++) loads.push(await loadOnce())
await browser.close()

const median = (pick: (load: Load) => number): number => loads.map(pick).toSorted((a, b) => a - b)[loads.length >> 1]!
console.log(`requests of files        ${median(({ requests }) => requests)}`)
console.log(`bytes of files, gzipped  ${median(({ bytes }) => bytes)} (bodies alone)`)
console.log(
  `numbers are shown after  ${median(({ shownMs }) => shownMs).toFixed(0)} ms (median of ${loads.length} loads)`,
)
console.log(`and the page is idle     ${median(({ idleMs }) => idleMs).toFixed(0)} ms`)
console.log(`its thread worked for    ${median(({ workMs }) => workMs).toFixed(0)} ms`)

async function loadOnce(): Promise<Load> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  // Of the thread alone: other programs of a busy machine do not count.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  const files = new Set<string>()
  let bytes = 0
  session.on('Network.responseReceived', ({ requestId, response }) => {
    if (!new URL(response.url).pathname.startsWith('/console/') || response.url.endsWith('/session')) return
    files.add(requestId)
    bytes -= Number(response.encodedDataLength)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (files.has(requestId)) bytes += encodedDataLength
  })
  await page.goto(`${gateway.url}/console/`)
  const times = await page.evaluate(
    () =>
      new Promise<{ readonly shownMs: number; readonly idleMs: number }>((resolve) => {
        const look = (): void => {
          if (document.querySelector('.tile-value') === null) return void requestAnimationFrame(look)
          const shownMs = performance.now()
          let last = shownMs
          const wait = (): void => {
            const now = performance.now()
            if (now - last < 50) return resolve({ shownMs, idleMs: now })
            last = now
            setTimeout(wait, 0)
          }
          setTimeout(wait, 0)
        }
        look()
      }),
  )
  await page.waitForLoadState('networkidle')
  const { metrics } = await session.send('Performance.getMetrics')
  const workMs = 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN)
  await page.close()
  return { requests: files.size, bytes, ...times, workMs }
}
