// Reads what pnpm prints with `--reporter=ndjson`: an event a line. Syntax that Node 16 reads, as bootstrap.mjs has.

/** Reads the events that pnpm prints, one a line, and gives how far it is by them: packages, and the bytes of those above 5 MB. */
export function readPnpm() {
  let rest = ''
  let [total, come] = [0, 0]
  const bytes = {}
  return (output) => {
    const lines = (rest + output).split('\n')
    rest = lines.pop()
    for (const { name, added, status, packageId, downloaded } of lines.map(eventOf)) {
      if (name === 'pnpm:stats' && added > 0) total = added
      if (name === 'pnpm:progress' && /^(?:fetched|found_in_store)$/.test(status)) come++
      if (name === 'pnpm:fetching-progress' && status === 'in_progress') bytes[packageId] = downloaded
    }
    if (total === 0) return ''
    const megabytes = Object.values(bytes).reduce((sum, each) => sum + each, 0) / 1_000_000
    return `${come} of ${total} packages${megabytes < 1 ? '' : `, ${megabytes.toFixed(0)} MB`}`
  }
}

function eventOf(line) {
  if (!line.startsWith('{"time"')) return {}
  try {
    return JSON.parse(line)
  } catch {
    return {}
  }
}

/** Takes the events of pnpm out of an output, but for errors, in their words. */
export function textOf(output) {
  const texts = output.split('\n').map((line) => {
    if (!line.startsWith('{"time"')) return line
    const { level, code, message, err = {}, hint } = eventOf(line)
    if (level !== 'error') return undefined
    return [code || err.code, message || err.message, hint].filter(Boolean).join(' ')
  })
  return texts.filter((text) => text !== undefined).join('\n')
}
