/** Members before an error that are looked at, in characters: a transaction's hash, and some white space. */
const lookBack = 128

/**
 * Whether the traces of a block hold an error in the place of a trace, as where a node ran out of time; the text is not parsed. An inner call
 * that failed has an error, too, behind its input or output: that is a part of the trace.
 */
export function hasFailedTrace(text: string): boolean {
  for (let at = text.indexOf('"error"'); at >= 0; at = text.indexOf('"error"', at + 1)) {
    const before = text.slice(Math.max(0, at - lookBack), at).trimEnd()
    const isOfFrame = /"\s*,$/.test(before) && !/"txHash"\s*:\s*"[^"]*"\s*,$/.test(before)
    if (!isOfFrame) return true
  }
  return false
}
