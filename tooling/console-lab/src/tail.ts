// `pnpm --filter @wayleave/console-lab tail`: the inspector under many calls for long. Options: --minutes N (10), --rate N (500). Ends with 1 where
// a frame was late by more than 100 ms, or the page has grown.
import { parseArgs } from 'node:util'
import { launch, openPage, signedIn } from './browse.ts'
import { startStandIn } from './stand-in.ts'
import { measureHeap, watchFrames } from './watch-frames.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, rate: { type: 'string', default: '500' } },
})
const [minutes, rate] = [Number(values.minutes), Number(values.rate)]
/** The most bytes that the heap may grow by after the first minute, once 5,000 calls are kept. */
const mostGrowth = 3_000_000

await using gateway = await startStandIn({ callsPerSecond: rate })
const browser = await launch()
const context = await signedIn(browser, gateway.url)
const { page, faults } = await openPage(context, gateway.url, 'inspector')
await page.locator('.tail-row').first().waitFor()
// The first calls have the code compiled.
await watchFrames(page, 5)

let [late, longest] = [0, 0]
const heaps: number[] = []
for (let minute = 1; minute <= minutes; minute++) {
  const frames = await watchFrames(page, 60)
  const { heapBytes, elements } = await measureHeap(page)
  heaps.push(heapBytes)
  late += frames.late
  longest = Math.max(longest, frames.longestMs)
  console.log(
    `minute ${minute}: ${frames.frames} frames, the longest ${frames.longestMs.toFixed(0)} ms, ${frames.late} over 100 ms; longest task ${frames.longestTaskMs.toFixed(0)} ms; heap ${(heapBytes / 1e6).toFixed(1)} MB, ${elements} elements`,
  )
}
console.log((await page.locator('.tail-foot').innerText()).replaceAll('\n', '; '))
await browser.close()
const growth = heaps.at(-1)! - heaps[0]!
console.log(
  `${late} late frames, the longest ${longest.toFixed(0)} ms; the heap grew by ${(growth / 1e6).toFixed(2)} MB after the first minute`,
)
for (const fault of faults) console.log(`the page complained: ${fault}`)
process.exitCode = late > 0 || growth > mostGrowth || faults.length > 0 ? 1 : 0
