import { simdScanWasm } from './simd-scan-wasm.ts'

/** The place in a value between two bytes of it. */
export interface ScanState {
  depth: number
  inString: boolean
  /** The next byte is escaped by a backslash. */
  escaped: boolean
}

/** Follows the strings and brackets of a value with SIMD instructions of WebAssembly, 64 bytes a step. */
export interface SimdScan {
  /**
   * Scans `chunk` from `from` and changes `state`, which stands within a string or a container. Returns the index after the value as `ended`, or
   * else the index of the next byte to scan as `scanned`: whole steps are scanned, up to a backslash outside strings.
   */
  scan(chunk: Uint8Array, from: number, state: ScanState): { readonly ended: number } | { readonly scanned: number }
}

interface Exports {
  readonly memory: WebAssembly.Memory
  readonly scan: (length: number) => number
}

const step = 64
/** Bytes that are copied and scanned at once: few enough to stay in the processor's cache. */
const pieceBytes = 32_768
/** Depths from here on would overflow 32 bits within a piece. */
const deepest = 2 ** 30

let loaded: SimdScan | 'refused' | undefined

/**
 * Compiles the scan when it is first asked for; undefined where the engine has no SIMD, or refuses to compile, as a page's
 * content security policy may.
 */
export function loadSimdScan(): SimdScan | undefined {
  loaded ??= compile() ?? 'refused'
  return loaded === 'refused' ? undefined : loaded
}

function compile(): SimdScan | undefined {
  try {
    const bytes = Uint8Array.from(atob(simdScanWasm), (unit) => unit.charCodeAt(0))
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes))
    return createSimdScan(exports as unknown as Exports)
  } catch {
    return undefined
  }
}

function createSimdScan({ memory, scan }: Exports): SimdScan {
  // WebAssembly has the lowest byte first on every machine.
  const place = new DataView(memory.buffer, 0, step)
  const room = new Uint8Array(memory.buffer, step, pieceBytes)
  return {
    scan(chunk, from, state) {
      // The first byte after a backslash is passed over, whatever it is.
      let i = state.escaped ? from + 1 : from
      state.escaped = false
      place.setInt32(0, state.depth, true)
      place.setInt32(4, state.inString ? 1 : 0, true)
      let ended = -1
      let whole = true
      while (whole && chunk.byteLength - i >= step && place.getInt32(0, true) < deepest) {
        const length = Math.min(pieceBytes, (chunk.byteLength - i) & -step)
        room.set(chunk.subarray(i, i + length))
        place.setInt32(12, state.escaped ? 1 : 0, true)
        const end = scan(length)
        if (end >= 0) {
          ended = i + end
          break
        }
        const scanned = place.getInt32(8, true)
        whole = scanned === length
        i += scanned
        state.escaped = place.getInt32(12, true) === 1
      }
      state.depth = place.getInt32(0, true)
      state.inString = place.getInt32(4, true) === 1
      return ended >= 0 ? { ended } : { scanned: i }
    },
  }
}
