/** A collection costs a fraction of a millisecond; so many bytes take ten to pass. */
const bytesBetween = 4_000_000

/**
 * Makes the function that hears how many bytes of content have passed, and has their buffers freed now and then. They lie
 * outside V8's heap behind a few bytes inside it: left alone, V8 collects everything each few MiB, which takes more
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
