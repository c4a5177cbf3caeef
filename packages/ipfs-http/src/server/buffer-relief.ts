/** Bytes between two collections. They take 10 ms to pass; a collection takes a fraction of a millisecond. */
const bytesBetween = 4_000_000

/**
 * Creates a function to call with the size of each chunk of content that has passed. It has their buffers freed now and then.
 * Buffers lie outside V8's heap, behind a few bytes inside it: left alone, V8 collects everything each few MiB, which takes more
 * than half of the CPU time of an upload.
 */
export function createBufferRelief(collectYoung: () => void): (bytes: number) => void {
  let passed = 0
  return (bytes) => {
    passed += bytes
    if (passed < bytesBetween) return
    passed = 0
    collectYoung()
  }
}
