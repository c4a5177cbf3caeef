/** The values of one scrape, by the name of their family. */
export type Samples = ReadonlyMap<string, readonly Sample[]>

export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Most values that are read: a gateway of hundreds of upstreams has some ten thousand. */
const mostSamples = 200_000

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g

/** Reads the text format of Prometheus. Leaves out lines that are none of it, and NaN. */
export function parseMetrics(text: string): Samples {
  const samples = new Map<string, Sample[]>()
  let count = 0
  for (const row of text.split('\n')) {
    const [, name, labels = '', given] = row.startsWith('#') ? [] : (line.exec(row) ?? [])
    if (name === undefined || ++count > mostSamples) continue
    const value = given === '+Inf' ? Number.POSITIVE_INFINITY : Number(given)
    if (Number.isNaN(value)) continue
    const sample = {
      labels: Object.fromEntries([...labels.matchAll(label)].map(([, key, own]) => [key!, unescape(own!)])),
      value,
    }
    const family = samples.get(name)
    if (family === undefined) samples.set(name, [sample])
    else family.push(sample)
  }
  return samples
}

function unescape(text: string): string {
  return text.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign))
}
