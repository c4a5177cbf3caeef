type Collect = (options: { readonly type: 'minor' | 'major' }) => unknown

/** Whether this is Node, whose modules other runtimes have, too, in their own ways. */
export const isNode: boolean =
  globalThis.process?.versions?.node !== undefined && !('Bun' in globalThis) && !('Deno' in globalThis)

let collect: Collect | undefined

/** Collects short-lived garbage at once in Node, and does nothing elsewhere. Never throws. */
export function collectYoung(): void {
  collect ??= findCollect()
  collect({ type: 'minor' })
}

/** Collects all garbage at once in Node, in some 20 ms, and does nothing elsewhere. Never throws. */
export function collectAll(): void {
  collect ??= findCollect()
  collect({ type: 'major' })
}

/** Finds Node's collector. Node offers it only behind a flag, which is set here while it runs, for as short as possible. */
function findCollect(): Collect {
  try {
    if (!isNode) return nothing
    const { gc: given } = globalThis as { gc?: Collect }
    if (typeof given === 'function') return given
    // Loaded by name, so that code for browsers imports no module of Node.
    const { setFlagsFromString } = process.getBuiltinModule('node:v8')
    setFlagsFromString('--expose-gc')
    try {
      return process.getBuiltinModule('node:vm').runInNewContext('gc') as Collect
    } finally {
      setFlagsFromString('--no-expose-gc')
    }
  } catch {
    return nothing
  }
}

function nothing(): void {}
