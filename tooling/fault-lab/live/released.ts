import { setTimeout as sleep } from 'node:timers/promises'

/** Time for what was closed to be gone, in ms. */
const withinMs = 10_000

/** Waits until a gateway counts no WebSocket; a sentence for those that are left. */
export async function openSockets(admin: string): Promise<string | undefined> {
  let open = 0
  for (const until = performance.now() + withinMs; ; await sleep(100)) {
    const metrics = await (await fetch(`${admin}/metrics`)).text()
    open = 0
    for (const [, value] of metrics.matchAll(/^wayleave_websocket_connections(?:\{[^}]*\})? (\d+)$/gm))
      open += Number(value)
    if (open === 0) return undefined
    if (performance.now() > until) return `the gateway holds ${open} WebSockets whose clients are gone`
  }
}

const kinds = /^(TCPSocketWrap|ProcessWrap|TCPServerWrap|PipeWrap)$/

/** Counts the connections and children of this process, by kind. */
export function ownResources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo().filter((each) => kinds.test(each)))
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

/** Waits until this process has no more connections and children than before; names those that are left. */
export async function leftOver(before: ReadonlyMap<string, number>): Promise<readonly string[]> {
  for (const until = performance.now() + withinMs; ; await sleep(100)) {
    const left = [...ownResources()].filter(([kind, count]) => count > (before.get(kind) ?? 0))
    if (left.length === 0) return []
    if (performance.now() > until)
      return left.map(([kind, count]) => `${count - (before.get(kind) ?? 0)} ${kind} of the rig are left open`)
  }
}
