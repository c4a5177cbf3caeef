import type { Page } from 'playwright-core'

/** How a page kept up, as its browser measured it. */
export interface Frames {
  readonly seconds: number
  /** The longest time between two frames, in ms. */
  readonly longestMs: number
  /** Frames that came more than 100 ms after the one before. */
  readonly late: number
  readonly frames: number
  /** The longest task of the page's thread, in ms; 0: none took 50 ms. */
  readonly longestTaskMs: number
}

/** Measures the frames of a page for a time. The page must be in sight, as a browser draws no other. */
export function watchFrames(page: Page, seconds: number): Promise<Frames> {
  return page.evaluate(
    (ms) =>
      new Promise<Frames>((resolve) => {
        let longestTaskMs = 0
        const observer = new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries()) longestTaskMs = Math.max(longestTaskMs, duration)
        })
        observer.observe({ type: 'longtask' })
        let [last, longestMs, late, frames] = [performance.now(), 0, 0, 0]
        const end = last + ms
        const look = (): void => {
          const now = performance.now()
          longestMs = Math.max(longestMs, now - last)
          if (now - last > 100) late++
          frames++
          last = now
          if (now < end) return void requestAnimationFrame(look)
          observer.disconnect()
          resolve({ seconds: ms / 1_000, longestMs, late, frames, longestTaskMs })
        }
        requestAnimationFrame(look)
      }),
    seconds * 1_000,
  )
}

/** Bytes of the page's heap after a collection, and elements in its document. */
export async function measureHeap(page: Page): Promise<{ readonly heapBytes: number; readonly elements: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return { heapBytes: usedSize, elements: await page.evaluate(() => document.querySelectorAll('*').length) }
}
