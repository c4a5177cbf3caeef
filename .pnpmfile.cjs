// What is packed has no sources, so its manifest does not name them. npm reads no hooks: `tooling/release/pack-manifest.mjs` does the same.
const members = ['exports', 'imports']

function strip(value) {
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => name !== '@wayleave/source')
  return Object.fromEntries(kept.map(([name, each]) => [name, strip(each)]))
}

/** Returns a manifest without the condition of the workspace. */
function withoutSources(manifest) {
  const stripped = members.filter((name) => name in manifest).map((name) => [name, strip(manifest[name])])
  return { ...manifest, ...Object.fromEntries(stripped) }
}

module.exports = { withoutSources, hooks: { beforePacking: withoutSources } }
