// `prepublishOnly` of every published package: npm reads the manifest again once it has packed, and would tell the registry `workspace:^`.
if (process.env.npm_config_user_agent?.startsWith('pnpm/') !== true) {
  console.error(
    'This package is published by .github/workflows/release.yml. npm would publish versions that only this workspace knows: see CONTRIBUTING.md, Releases.',
  )
  process.exitCode = 1
}
