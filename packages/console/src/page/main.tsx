import { render } from 'preact'
import { follow } from './api/ask.ts'
import { App } from './app.tsx'
import { followLink } from './router.ts'
import { loadSession } from './session.ts'

document.addEventListener('click', followLink)
for (const event of ['storage', 'pageshow']) addEventListener(event, follow)
void loadSession()
render(<App />, document.getElementById('root')!)
