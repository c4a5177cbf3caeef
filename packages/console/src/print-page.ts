import { importMap, libraries, prefix } from './libraries.ts'

/** Prints the HTML of the page. It names the libraries, so that they come side by side, and not one after the other as each is read. */
export function printPage(): string {
  const links = libraries.map(({ path }) => `    <link rel="modulepreload" href="${prefix}${path}" />`)
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Wayleave console</title>
    <link rel="icon" href="${prefix}icon.svg" type="image/svg+xml" />
    <script src="${prefix}first-paint.js"></script>
    <link rel="stylesheet" href="${prefix}style.css" />
    <script type="importmap">${importMap}</script>
${links.join('\n')}
    <script type="module" src="${prefix}main.js"></script>
  </head>
  <body>
    <noscript>The console of Wayleave needs JavaScript.</noscript>
    <div id="root"></div>
  </body>
</html>
`
}
