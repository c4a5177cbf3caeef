// The lines of changelogs, as changesets asks for them (`changelog` in .changeset/config.json).

/** Prints a line for each line of a changeset, without the hash of its commit. */
export function getReleaseLine({ summary }) {
  return summary
    .split('\n')
    .map((line) => line.trim().replace(/^[-*] /, ''))
    .filter((line) => line !== '')
    .map((line) => `- ${line}`)
    .join('\n')
}

/** Prints one line for the packages of this repository that it needs in a later version; those that come out for the first time need none. */
export function getDependencyReleaseLine(_changesets, updated) {
  const later = updated.filter(({ oldVersion }) => oldVersion !== '0.0.0')
  if (later.length === 0) return ''
  return `- Needs ${later.map(({ name, newVersion }) => `\`${name}\` ${newVersion}`).join(', ')}.`
}
