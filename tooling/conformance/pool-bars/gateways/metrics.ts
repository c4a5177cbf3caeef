/** Sums the series of a metric in the text format of Prometheus, those that have the labels. */
export function sumOf(text: string, metric: string, labels: Readonly<Record<string, string>> = {}): number {
  const wanted = Object.entries(labels).map(([name, value]) => `${name}="${value}"`)
  let sum = 0
  for (const line of text.split('\n')) {
    const [, name, inside = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? []
    if (name === metric && wanted.every((label) => inside.split(',').includes(label))) sum += Number(value)
  }
  return sum
}

/** Reads a text within ten seconds. @throws Error where none came, or its status is another than 200 or 503 */
export async function readText(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
  const text = await response.text()
  if (!response.ok && response.status !== 503) throw new Error(`${url}: status ${response.status}`)
  return text
}
