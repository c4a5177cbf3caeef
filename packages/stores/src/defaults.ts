/** Waits. This file is the only place of the package that touches ambient time. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
