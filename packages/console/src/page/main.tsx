import { render } from 'preact'
import { App } from './app.tsx'
import { followLink } from './router.ts'
import { loadSession } from './session.ts'

document.addEventListener('click', followLink)
void loadSession()
render(<App />, document.getElementById('root')!)
