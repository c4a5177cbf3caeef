// `pnpm --filter @wayleave/console-lab tail`: the inspector under many calls for long. Options: --minutes N (10), --rate N (500). Ends with 1 where
// more frames than those of an empty page beside it came over 100 ms after the one before, or the page has grown: a machine that others keep busy
// delays both.
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
const empty = await browser.newPage()
// The first calls have the code compiled.
await watchFrames(page, 5)

let [late, lateEmpty, longest] = [0, 0, 0]
const heaps: number[] = []
for (let minute = 1; minute <= minutes; minute++) {
  const [frames, beside] = await Promise.all([watchFrames(page, 60), watchFrames(empty, 60)])
  const { heapBytes, elements } = await measureHeap(page)
  heaps.push(heapBytes)
  late += frames.late
  lateEmpty += beside.late
  longest = Math.max(longest, frames.longestMs)
  console.log(
    `minute ${minute}: ${frames.frames} frames, the longest ${frames.longestMs.toFixed(0)} ms, ${frames.late} over 100 ms (${beside.late} of the empty page); longest task ${frames.longestTaskMs.toFixed(0)} ms; heap ${(heapBytes / 1e6).toFixed(1)} MB, ${elements} elements`,
  )
}
console.log((await page.locator('.tail-foot').innerText()).replaceAll('\n', '; '))
await browser.close()
const growth = heaps.at(-1)! - heaps[0]!
console.log(
  `${late} late frames, ${lateEmpty} of the empty page, the longest ${longest.toFixed(0)} ms; the heap grew by ${(growth / 1e6).toFixed(2)} MB after the first minute`,
)
for (const fault of faults) console.log(`the page complained: ${fault}`)
process.exitCode = late > lateEmpty || growth > mostGrowth || faults.length > 0 ? 1 : 0
